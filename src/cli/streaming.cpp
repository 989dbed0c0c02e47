#include "cli/streaming.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "cli/answers.hpp"
#include "cli/output.hpp"
#include "cli/stream_loop.hpp"
#include "cli/watching.hpp"
#include "runtime/framing.hpp"

namespace cmanp::cli {
namespace {

// "x,y,mean,std,z\n" or "x,y,mean,std,z,unusual\n", numbered where there are more of them.
std::string ahead_header(const Config& config, bool unusual) {
  std::string names = column_names("x", config.dim_x);
  for (const char* name : {"y", "mean", "std", "z"}) names += "," + column_names(name, config.dim_y);
  return names + (unusual ? "," + column_names("unusual", config.dim_y) : "") + "\n";
}

// Of a question, y, z and how unusual that is are empty.
void print_ahead(Output& output, const streams::PointAnswer& answer, bool times, bool unusual) {
  const std::string empty(answer.mean.size() - 1, ',');
  print_places(output, answer.x, times);
  output.text(",");
  answer.y.empty() ? output.text(empty) : output.numbers(answer.y, Digits::of_double);
  output.text(",");
  output.numbers(answer_digits(answer.mean, answer.std));
  output.text(",");
  output.numbers(answer.std, Digits::of_float);
  output.text(",");
  answer.y.empty() ? output.text(empty) : output.numbers(answer.off(), Digits::of_float);
  if (unusual) {
    output.text(",");
    answer.y.empty() ? output.text(empty) : output.numbers(answer.unusual, Digits::of_float);
  }
  output.text("\n");
}

// {"x": […], "mean": […], "std": […], "observed": n} on one line, of points with their y and z.
void print_json_answer(Output& output, const streams::PointAnswer& answer, bool times) {
  output.text("{\"x\":");
  if (times) {
    output.text("[\"");
    print_places(output, answer.x, times, "\",\"");
    output.text("\"]");
  } else {
    output.json_array(answer.x);
  }
  if (!answer.y.empty()) {
    output.text(",\"y\":");
    output.json_array(answer.y);
    output.text(",\"z\":");
    output.json_array(answer.off(), Digits::of_float);
    if (!answer.unusual.empty()) {
      output.text(",\"unusual\":");
      output.json_array(answer.unusual, Digits::of_float);
    }
  }
  output.text(",\"mean\":");
  output.json_array(answer_digits(answer.mean, answer.std));
  output.text(",\"std\":");
  output.json_array(answer.std, Digits::of_float);
  output.text(fmt::format(",\"observed\":{}}}\n", answer.observed));
}

}  // namespace

streams::SessionOptions session_options(const StreamOptions& options) {
  streams::SessionOptions of_session = session_options(options.flags, options.model);
  of_session.reading = options.reading;
  of_session.ahead = options.ahead || options.unusual;
  of_session.unusual = options.unusual;
  return of_session;
}

void answer_stream(const StreamOptions& options, const Config& config, const Normalisation& units,
                   const OpenSession& open) {
  Output output(Output::Flush::by_hand);
  std::unique_ptr<streams::PointSession> session;
  const auto times = [&] { return session && session->has_times(); };  // x come back as they came
  streams::PointSession::Answers answers{
      .begin = [&] { output.text(answers_header(config)); },
      .give = [&](const streams::PointAnswer& one) { print_answer(output, one.x, one.mean, one.std, times()); }};
  if (options.ahead || options.unusual) {
    answers = {.begin = [&] { output.text(ahead_header(config, options.unusual)); },
               .give = [&](const streams::PointAnswer& one) { print_ahead(output, one, times(), options.unusual); }};
  }
  if (options.json) {
    answers = {.begin = [] {},
               .give = [&](const streams::PointAnswer& one) { print_json_answer(output, one, times()); }};
  }
  Watching watching(options.model, units, options.strict);
  watching.finish();  // of what is known by now: whether the model is trained
  answers.before_observing = [&](std::span<const double> x, std::span<const double> y) { watching.look(x, y); };
  answers.before_answering = [&](std::span<const double> x) { watching.look(x); };
  bool told = false;  // a window's frame moves on without a word
  answers.on_frame = [&](const Normalisation& frame) {
    if (!std::exchange(told, true)) tell_frame(frame, times());
    watching.set_units(runtime::through_frame(frame, units));
  };
  session = open(std::move(answers));
  run_session(*session, output);
}

void add_stream_verb(CLI::App& app, const std::function<void(const StreamOptions&)>& run) {
  auto options = std::make_shared<StreamOptions>();
  CLI::App* verb = add_verb(
      app, "stream", "Reads rows from standard input: one with a y is observed, one without is answered at once",
      "printf 'x,y\\n0.1,0.5\\n0.3,0.7\\n0.2,\\n' | cmanp stream --model gp.cmanp --state room.state");
  add_model(verb, options->model)->required();
  add_stream_flags(verb, options->flags, "the state");
  add_column_flags(verb, options->reading);
  add_frame_flags(verb, options->frame);
  verb->add_option(
          "--warm-up", options->warm_up,
          "Observations that the frame is found by, of a model that works so; until then answers are the prior's")
      ->check(CLI::Range(std::size_t{1}, std::size_t{128}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--window", options->window,
                   "Rest on the latest observations alone, so many to twice as many, wherever x goes; 0: forget none "
                   "(default: as the state has it, or 1024 for a model that finds its frame by itself where no flag "
                   "says where x goes)")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 20))
      ->type_name("N");
  verb->add_flag("--ahead", options->ahead,
                 "Answer for rows with a y as well, before they are observed, and say by how many deviations (z) each "
                 "is off what was expected");
  verb->add_flag("--unusual", options->unusual,
                 "The same, and how far out of the ordinary each is, beside all of the stream so far; an event is told "
                 "once. More than 5 is an alarm");
  add_strict(verb, options->strict);
  add_range_flags(verb, options->places);
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options, run] { run(*options); });
}

}  // namespace cmanp::cli
