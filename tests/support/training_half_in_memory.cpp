// Verbs of the training half, run by a copy of the test's process instead of by `cmanp-train`.
#include <algorithm>

#include "cli/training_verbs.hpp"
#include "cli_train/program.hpp"
#include "support/run_process.hpp"

namespace cmanp::testing {
namespace {

void run_verb(const std::vector<std::string>& command) {
  const bool verb_is_its = !cli::training_verb_in({command.begin() + 1, command.end()}).empty();
  // Several processes are copies of the program that they find themselves to be.
  const bool several = std::find(command.begin(), command.end(), "--processes") != command.end();
  if (command[0] != CMANP_PROGRAM || !verb_is_its || several) return;
  std::vector<std::string> arguments = command;
  arguments[0] = "cmanp-train";
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  cli_train::run_and_end(static_cast<int>(arguments.size()), pointers.data());
}

[[maybe_unused]] const bool set = (run_instead = run_verb) != nullptr;

}  // namespace
}  // namespace cmanp::testing
