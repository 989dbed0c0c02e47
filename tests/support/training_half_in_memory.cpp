// Verbs of the training half, run by a copy of the test's process instead of by `cmanp-train`.
#include <algorithm>

#include "cli_train/program.hpp"
#include "support/run_process.hpp"

namespace cmanp::testing {
namespace {

void run_verb(const std::vector<std::string>& command) {
  // Several processes are copies of the program that they find themselves to be.
  const bool several = std::find(command.begin(), command.end(), "--processes") != command.end();
  if (command[0] != CMANP_PROGRAM || several) return;
  cli_train::run_if_it_needs_libtorch({command.begin() + 1, command.end()});
}

[[maybe_unused]] const bool set = (run_instead = run_verb) != nullptr;

}  // namespace
}  // namespace cmanp::testing
