// cmanp predict: mean and standard deviation of each target, or joint samples over all of them.
#include <algorithm>
#include <cmanp/context.hpp>

#include "cli/points.hpp"
#include "cli/shared_verbs.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

void run_predict(PredictOptions options) {
  check_predicts_here(options.model);
  const Model model = Model::load(options.model);
  const tables::Table targets =
      read_targets(options.targets, first_units(model.config(), model.normalisation(), options.data.frame),
                   tables::Rows::targets, options.data.reading);
  // No more working space than there are targets to fill it.
  options.block = std::clamp<std::size_t>(targets.rows, 1, options.block);
  Watching watching(options.model, model.normalisation(), options.data.strict);
  watching.targets(targets.x);
  Context context = make_context(model,
                                 {.threads = options.threads,
                                  .block = options.block,
                                  .range = options.places.range,
                                  .outside = options.places.outside},
                                 options.state, options.context, options.data, watching);
  warn_of_targets(context, targets.x);
  answer_predict(options, model.config(), context, targets);
}

}  // namespace

void add_predict(CLI::App& app) { add_predict_verb(app, run_predict); }

}  // namespace cmanp::cli
