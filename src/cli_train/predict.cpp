// cmanp predict, score and calibrate of a model that the lean half does not run.
#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "cli/calibration.hpp"
#include "cli/points.hpp"
#include "cli/shared_verbs.hpp"
#include "cli_train/open_predictor.hpp"
#include "cli_train/plain_errors.hpp"
#include "cli_train/table_predict.hpp"
#include "cli_train/verbs.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using training::Predictor;

template <class Options>
Predictor load_predictor(const Options& options) {
  refuse_state(options.model, options.state, kByContext);
  refuse_range(options.model, options.places.range);
  return open_predictor(options.model, options.data.frame, options.threads);
}

void run_predict(const cli::PredictOptions& options) {
  if (predicts_rows(options.model)) return predict_rows(options);
  Predictor predictor = load_predictor(options);
  const auto targets =
      cli::read_targets(options.targets, predictor.normalisation(), tables::Rows::targets, options.data.reading);
  cli::Watching watching(options.model, predictor.normalisation(), options.data.strict);
  watching.targets(targets.x);
  observe_all(predictor, options.context, options.data.reading, watching);
  with_plain_errors([&] { cli::answer_predict(options, predictor.config(), predictor, targets); });
}

void run_score(const cli::ScoreOptions& options) {
  Predictor predictor = load_predictor(options);
  const auto targets = cli::read_scored_targets(options.targets, predictor.normalisation(), options.data.reading);
  cli::Watching watching(options.model, predictor.normalisation(), options.data.strict);
  watching.targets(targets.x);
  observe_all(predictor, options.context, options.data.reading, watching);
  with_plain_errors([&] { cli::answer_score(options, predictor.config(), predictor, targets); });
}

void run_calibrate(const cli::CalibrateOptions& options) {
  if (!options.output.empty()) {
    throw Error(fmt::format("-o: {} is no model that the lean half runs, and only those are rescaled", options.model));
  }
  check_outputs(options);
  training::use_threads(static_cast<std::int64_t>(options.threads));
  const training::LoadedModel model = open_framed(options.model, options.given.frame);
  const auto predict = [&](const measures::Points& seen, std::span<const double> x, std::span<double> mean,
                           std::span<double> std) {
    Predictor predictor(model);
    predictor.observe(seen.x, seen.y);
    predictor.predict(x, mean, std);
  };
  with_plain_errors([&] { cli::answer_calibrate(options, training::shape_of(model.model->config()), predict); });
}

}  // namespace

void add_predict(CLI::App& app) { cli::add_predict_verb(app, run_predict); }
void add_score(CLI::App& app) { cli::add_score_verb(app, run_score); }
void add_calibrate(CLI::App& app) { cli::add_calibrate_verb(app, run_calibrate); }

}  // namespace cmanp::cli_train
