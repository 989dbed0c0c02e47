// The whole of cmanp-train, but for how it is started.
#pragma once

namespace cmanp::cli_train {

// Runs the verb that the arguments ask for and ends the process with its exit code.
[[noreturn]] void run_and_end(int argc, char** argv);

}  // namespace cmanp::cli_train
