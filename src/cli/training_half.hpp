// What needs libtorch lives in a second program, `cmanp-train`, which takes over when it is asked for: a verb of its
// own, or a verb of both with a model that the lean half does not run.
#pragma once

#include <string>

namespace cmanp::cli {

// Thrown by a verb that finds its work to be the training half's, before it has done any of it; `why` begins a sentence
// that ends with "needs the training half".
struct HandOver {
  std::string why;
};

// Throw HandOver where a file holds a model, or the public implementation's weights of one, that the lean half does not
// run. Files that are neither are left for their readers to refuse.
void check_model_runs_here(const std::string& path);
void check_reference_runs_here(const std::string& path);
// The same where `predict` asks, which is the training half's by runs and by models of tables with several x as well.
void check_predicts_here(const std::string& path);

// Throws HandOver where these arguments ask for a verb of the training half.
void check_verb_runs_here(int argc, char** argv);

// Becomes `cmanp-train`, found beside this program or on PATH; where there is none, throws Error that says why it is
// needed and how to get it.
[[noreturn]] void run_training_half(const HandOver& reason, int argc, char** argv);

}  // namespace cmanp::cli
