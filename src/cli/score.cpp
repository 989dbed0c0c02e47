// cmanp score: the log-likelihood of targets whose y is known, and other measures of the predictions.
#include <algorithm>
#include <cmanp/context.hpp>

#include "cli/points.hpp"
#include "cli/shared_verbs.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

void run_score(ScoreOptions options) {
  check_model_runs_here(options.model);
  const Model model = Model::load(options.model);
  const tables::Table targets = read_scored_targets(
      options.targets, first_units(model.config(), model.normalisation(), options.data.frame), options.data.reading);
  // No more working space than there are targets to fill it.
  const std::size_t block = std::min(targets.rows, options.block > 0 ? options.block : ContextOptions{}.block);
  options.block = std::min(targets.rows, options.block);
  Watching watching(options.model, model.normalisation(), options.data.strict);
  watching.targets(targets.x);
  Context context = make_context(
      model,
      {.threads = options.threads, .block = block, .range = options.places.range, .outside = options.places.outside},
      options.state, options.context, options.data, watching);
  warn_of_targets(context, targets.x);
  answer_score(options, model.config(), context, targets);
}

}  // namespace

void add_score(CLI::App& app) { add_score_verb(app, run_score); }

}  // namespace cmanp::cli
