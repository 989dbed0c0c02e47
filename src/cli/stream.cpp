// cmanp stream: observations and questions from standard input, answers at once, a state that survives the process.
#include <cmanp/model.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/streaming.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

// A stream has no data to find half a frame by beforehand.
std::optional<Normalisation> stream_frame(const StreamOptions& options, const Config& config) {
  if (config.frames && options.frame.x.empty() != options.frame.y.empty()) {
    throw CLI::ValidationError("--x-frame", "goes together with --y-frame");
  }
  return frame_by(options.frame, config, {});
}

// A stream of which nobody said where it goes may go anywhere: of a model that finds its frame by itself, it rests on
// what came last.
std::size_t window_of(const StreamOptions& options, const Config& config) {
  constexpr std::size_t kUsual = 1024;
  if (options.window) return *options.window;
  const std::string& state = options.flags.state;
  const bool goes_on = !state.empty() && std::filesystem::exists(state);
  return config.frames && !goes_on && !options.frame.given() && options.places.range.empty() ? kUsual : 0;
}

void run_stream(const StreamOptions& options) {
  check_model_runs_here(options.model);
  const streams::SessionOptions of_session = session_options(options);
  const Model model = Model::load(options.model);
  const ContextOptions context{.threads = options.threads,
                               .range = options.places.range,
                               .outside = options.places.outside,
                               .frame = stream_frame(options, model.config()),
                               .warm_up = options.warm_up,
                               .seasons = options.frame.seasons,
                               .widths = options.frame.widths,
                               .window = window_of(options, model.config())};
  answer_stream(options, model.config(), model.normalisation(), [&](streams::PointSession::Answers answers) {
    return std::make_unique<streams::PointSession>(model, context, of_session, std::move(answers));
  });
}

}  // namespace

void add_stream(CLI::App& app) { add_stream_verb(app, run_stream); }

}  // namespace cmanp::cli
