// cmanp-train: the verbs that need libtorch. `cmanp` starts it for them, and it speaks as `cmanp`.
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/library_environment.hpp"
#include "cli_train/program.hpp"

namespace {

// Started by hand, libraries are loaded by now: once more, with what they are to know. Where that fails, all works,
// but slower.
void start_anew_if_libraries_know_nothing(char** argv) {
  if (!cmanp::cli::prepare_environment()) return;
  std::error_code ignored;
  execv(std::filesystem::read_symlink("/proc/self/exe", ignored).c_str(), argv);
}

}  // namespace

int main(int argc, char** argv) {
  start_anew_if_libraries_know_nothing(argv);
  cmanp::cli_train::run_and_end(argc, argv);
}
