// The whole of cmanp-train, but for how it is started.
#pragma once

#include <string>
#include <vector>

#include "cli/program.hpp"

namespace cmanp::cli_train {

cli::Program training_program();

// Runs the verb that the arguments ask for and ends the process with its exit code.
[[noreturn]] void run_and_end(int argc, char** argv);

// The same for a command without the program's name, in a copy of a process that has libtorch: to load it takes most of
// a second. Returns where its verb is the lean half's.
void run_if_it_needs_libtorch(const std::vector<std::string>& command);

}  // namespace cmanp::cli_train
