// cmanp predict, score and calibrate of a model that the lean half does not run.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <new>
#include <string_view>

#include "cli/calibration.hpp"
#include "cli/points.hpp"
#include "cli/shared_verbs.hpp"
#include "cli_train/verbs.hpp"
#include "runtime/framing.hpp"
#include "training/evaluation/predictor.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using training::Predictor;

// `work`, with libtorch's errors as ours: one line, without its stack.
template <class Work>
void with_plain_errors(const Work& work) {
  try {
    work();
  } catch (const c10::Error& error) {
    const std::string_view text = error.what_without_backtrace();
    if (text.find("allocate memory") != std::string_view::npos) throw std::bad_alloc();
    throw Error(std::string(text.substr(0, text.find('\n'))));
  }
}

// The model in the frame that the flags say, if they do.
training::LoadedModel open_framed(const std::string& path, const cli::FrameFlags& flags) {
  training::LoadedModel model = training::open_model(path);
  const auto frame = cli::frame_by(flags, training::shape_of(model.model->config()), {});
  if (frame) model.normalisation = runtime::through_frame(*frame, model.normalisation);
  return model;
}

template <class Options>
Predictor load_predictor(const Options& options) {
  if (!options.state.empty()) {
    throw Error(fmt::format("--state: {} is no model that keeps a state; give all of its observations by --context",
                            options.model));
  }
  if (!options.places.range.empty()) {
    throw Error(
        fmt::format("--range: {} is no model that has one; ranges are for cmanp and cmanpand in relative "
                    "coordinates",
                    options.model));
  }
  training::use_threads(static_cast<std::int64_t>(options.threads));
  return Predictor(open_framed(options.model, options.data.frame));
}

void observe_all(Predictor& predictor, const std::vector<std::string>& paths, tables::Missing missing,
                 cli::Watching& watching) {
  const auto take = [&](std::span<const double> x, std::span<const double> y) { predictor.observe(x, y); };
  cli::observe_files(watching.over(take), predictor.config(), paths, missing);
  cli::note_if_empty(predictor.size());
  watching.finish();
}

void run_predict(const cli::PredictOptions& options) {
  Predictor predictor = load_predictor(options);
  const auto targets = cli::read_targets(options.targets, predictor.normalisation(), tables::Rows::targets);
  cli::Watching watching(options.model, predictor.normalisation(), options.data.strict);
  watching.targets(targets.x);
  observe_all(predictor, options.context, options.data.missing(), watching);
  with_plain_errors([&] { cli::answer_predict(options, predictor.config(), predictor, targets); });
}

void run_score(const cli::ScoreOptions& options) {
  Predictor predictor = load_predictor(options);
  const auto targets = cli::read_scored_targets(options.targets, predictor.normalisation(), options.data.missing());
  cli::Watching watching(options.model, predictor.normalisation(), options.data.strict);
  watching.targets(targets.x);
  observe_all(predictor, options.context, options.data.missing(), watching);
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
