// cmanp plot: a picture of what a model makes of observations of a function of one variable.
#include <cmanp/context.hpp>

#include "cli/plotting.hpp"
#include "cli/points.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

void run_plot(const PlotOptions& options) {
  check_model_runs_here(options.model);
  const Model model = Model::load(options.model);
  answer_plot(options, model.config(), model.normalisation(), [&](const std::vector<double>& x) {
    Watching watching(options.model, model.normalisation(), options.data.strict);
    Context context = make_context(model,
                                   {.threads = options.threads,
                                    .block = options.block,
                                    .range = options.places.range,
                                    .outside = options.places.outside},
                                   options.state, options.context, options.data, watching);
    warn_of_targets(context, x);
    return std::make_unique<runtime::ContextLearner>(std::move(context));
  });
}

}  // namespace

void add_plot(CLI::App& app) { add_plot_verb(app, run_plot); }

}  // namespace cmanp::cli
