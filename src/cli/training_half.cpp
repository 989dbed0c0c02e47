#include "cli/training_half.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cmanp::cli {

bool asks_for_training_half(int argc, char** argv) {
  constexpr std::array<std::string_view, 4> verbs{"train", "eval", "export", "models"};
  if (argc < 2) return false;
  const std::string_view verb = argv[1];
  if (verb == "bench") return argc > 2 && std::string_view(argv[2]) == "train";
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

void run_training_half(int argc, char** argv) {
  std::string name = "cmanp-train";
  std::vector<char*> arguments(argv, argv + argc);
  arguments[0] = name.data();
  arguments.push_back(nullptr);
  // libtorch's threads wait by spinning, which costs a busy machine dozens of times what waking up does.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  std::error_code ignored;
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename(name);
  execv(beside.c_str(), arguments.data());  // returns only where it is not there
  execvp(name.c_str(), arguments.data());
  throw Error(
      fmt::format("`cmanp {}` needs the training half, program {}, which is neither beside this program nor on PATH; "
                  "build it with libtorch installed, and see README.md",
                  argv[1], name));
}

}  // namespace cmanp::cli
