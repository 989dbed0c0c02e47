// cmanp calibrate: whether a model's deviations are honest on held-out data, and a model whose are.
#include "cli/calibration.hpp"

#include <cmanp/context.hpp>

#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

void run_calibrate(const CalibrateOptions& options) {
  check_model_runs_here(options.model);
  check_outputs(options);
  const Model model = Model::load(options.model);
  answer_calibrate(
      options, model.config(),
      [&](const measures::Points& seen, std::span<const double> x, std::span<double> mean, std::span<double> std) {
        Context context(model, {.threads = options.threads});
        context.observe(seen.x, seen.y);
        context.predict(x, mean, std);
      });
}

}  // namespace

void add_calibrate(CLI::App& app) { add_calibrate_verb(app, run_calibrate); }

}  // namespace cmanp::cli
