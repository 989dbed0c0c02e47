// cmanp-train: the verbs that need libtorch. `cmanp` starts it for them, and it speaks as `cmanp`.
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/wait_policy.hpp"
#include "cli_train/program.hpp"

namespace {

// Started by hand, libgomp is loaded by now: once more, with its threads told to sleep. Where that fails, all works,
// but slower on a busy machine.
void start_anew_if_threads_would_spin(char** argv) {
  if (!cmanp::cli::ask_for_sleeping_threads()) return;
  std::error_code ignored;
  execv(std::filesystem::read_symlink("/proc/self/exe", ignored).c_str(), argv);
}

}  // namespace

int main(int argc, char** argv) {
  start_anew_if_threads_would_spin(argv);
  cmanp::cli_train::run_and_end(argc, argv);
}
