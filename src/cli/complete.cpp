// cmanp complete: a picture with most of its pixels missing, completed.
#include <cmanp/context.hpp>

#include "cli/completing.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

void run_complete(const CompleteVerbOptions& options) {
  check_model_runs_here(options.model);
  answer_complete(options, [&] {
    const ContextOptions context{.threads = options.complete.threads, .block = options.complete.block};
    return std::make_unique<runtime::ContextLearner>(Context(Model::load(options.model), context));
  });
}

}  // namespace

void add_complete(CLI::App& app) { add_complete_verb(app, run_complete); }

}  // namespace cmanp::cli
