// cmanp calibrate: whether a model's deviations are honest on held-out data, and a model whose are.
#include "cli/calibration.hpp"

#include <cmanp/context.hpp>
#include <optional>

#include "cli/training_half.hpp"
#include "cli/verbs.hpp"
#include "runtime/check_widths.hpp"

namespace cmanp::cli {
namespace {

void run_calibrate(const CalibrateOptions& options) {
  check_model_runs_here(options.model);
  check_outputs(options);
  const Model model = Model::load(options.model);
  const Config& config = model.config();
  const auto predict = [&](const measures::Points& seen, std::span<const double> x, std::span<double> mean,
                           std::span<double> std) {
    const auto found =
        config.frames ? std::optional(runtime::find_checked_frame(model, seen.x, seen.y, finding(options.given.frame)))
                      : std::nullopt;
    Context context(model, {.threads = options.threads, .frame = frame_by(options.given.frame, config, found)});
    context.observe(seen.x, seen.y);
    context.predict(x, mean, std);
  };
  answer_calibrate(options, config, predict);
}

}  // namespace

void add_calibrate(CLI::App& app) { add_calibrate_verb(app, run_calibrate); }

}  // namespace cmanp::cli
