// cmanp plot: a picture of what a model makes of observations of a function of one variable.
#include <cmanp/context.hpp>

#include "base/frame.hpp"
#include "cli/plotting.hpp"
#include "cli/points.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"
#include "runtime/access.hpp"
#include "runtime/engine.hpp"

namespace cmanp::cli {
namespace {

// Where a picture lies of which no file says it: a window knows its observations, and any other frame where they are.
Normalisation units_of(const Model& model, const std::string& state) {
  if (state.empty()) return model.normalisation();
  const Context context = Context::load(model, state);
  if (!context.frame()) return model.normalisation();
  Normalisation units = runtime::through_frame(*context.frame(), model.normalisation());
  const std::vector<double>& latest = runtime::Access::engine(context).framing().recent.x;
  std::size_t places = context.size();
  if (!latest.empty() && model.config().dim_x == 1) {
    const base::Scale found = base::x_frame(latest);
    units.x_shift = {found.shift};
    units.x_scale = {found.scale};
    places = latest.size();
  }
  for (double& scale : units.x_scale) scale *= base::frame_width(places) / base::frame_width(1);
  return units;
}

void run_plot(const PlotOptions& options) {
  check_model_runs_here(options.model);
  const Model model = Model::load(options.model);
  answer_plot(options, model.config(), units_of(model, options.state), [&](const std::vector<double>& x) {
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
