// The verbs that need libtorch live in a second program, `cmanp-train`, which takes over when one is asked for.
#pragma once

namespace cmanp::cli {

// Whether these arguments ask for a verb of the training half.
bool asks_for_training_half(int argc, char** argv);

// Becomes `cmanp-train`, found beside this program or on PATH; where there is none, throws Error that says how to get
// it.
[[noreturn]] void run_training_half(int argc, char** argv);

}  // namespace cmanp::cli
