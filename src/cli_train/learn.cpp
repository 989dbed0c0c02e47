// cmanp plot, complete and stream of a model that the lean half does not run.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <utility>

#include "cli/completing.hpp"
#include "cli/plotting.hpp"
#include "cli/streaming.hpp"
#include "cli_train/open_predictor.hpp"
#include "cli_train/verbs.hpp"

namespace cmanp::cli_train {
namespace {

void run_plot(const cli::PlotOptions& options) {
  refuse_state(options.model, options.state, kByContext);
  refuse_range(options.model, options.places.range);
  training::Predictor predictor = open_predictor(options.model, options.data.frame, options.threads);
  const Config config = predictor.config();
  const Normalisation units = predictor.normalisation();
  cli::answer_plot(options, config, units, [&](const std::vector<double>&) {
    cli::Watching watching(options.model, units, options.data.strict);
    observe_all(predictor, options.context, options.data.reading, watching);
    return learner_of(std::move(predictor));
  });
}

void run_complete(const cli::CompleteVerbOptions& options) {
  cli::answer_complete(options,
                       [&] { return learner_of(open_predictor(options.model, {}, options.complete.threads)); });
}

void run_stream(const cli::StreamOptions& options) {
  refuse_state(options.model, options.flags.state,
               "a stream of it has all of its observations in memory, and they end with it");
  if (options.window.value_or(0) > 0) {
    throw Error(
        fmt::format("--window: {} is no model that has one; it rests on all of its observations", options.model));
  }
  refuse_range(options.model, options.places.range);
  training::Predictor predictor = open_predictor(options.model, options.frame, options.threads);
  const Config config = predictor.config();
  const Normalisation units = predictor.normalisation();
  cli::answer_stream(options, config, units, [&](streams::PointSession::Answers answers) {
    return std::make_unique<streams::PointSession>(learner_of(std::move(predictor)), cli::session_options(options),
                                                   std::move(answers));
  });
}

}  // namespace

void add_plot(CLI::App& app) { cli::add_plot_verb(app, run_plot); }
void add_complete(CLI::App& app) { cli::add_complete_verb(app, run_complete); }
void add_stream(CLI::App& app) { cli::add_stream_verb(app, run_stream); }

}  // namespace cmanp::cli_train
