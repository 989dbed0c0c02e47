// cmanp events stream: events from standard input, what comes next on standard output, states that survive the process.
#include <cmanp/events.hpp>
#include <memory>

#include "cli/events.hpp"
#include "cli/forecast_printer.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/stream_flags.hpp"
#include "cli/stream_loop.hpp"
#include "streams/event_session.hpp"

namespace cmanp::cli {
namespace {

struct EventStreamOptions {
  std::string model;
  StreamFlags flags;
  streams::EventSessionOptions events;
  ForecastOptions forecast;
};

void run_event_stream(const EventStreamOptions& options) {
  streams::SessionOptions of_session = session_options(options.flags, options.model);
  const EventModel model = EventModel::load(options.model);
  Output output(Output::Flush::by_hand);
  ForecastPrinter printer(options.forecast, model, output);
  streams::EventSession session(
      model, options.events, std::move(of_session),
      {.begin = [&](bool named) { printer.print_header(named); },
       .give = [&](const streams::EventAnswer& one) { printer.print(one.sequence, one.events, one.forecast); }});
  run_session(session, output);
}

}  // namespace

void add_events_stream(CLI::App& events) {
  auto options = std::make_shared<EventStreamOptions>();
  CLI::App* verb = add_verb(
      events, "stream", "Reads events from standard input, one a row, and says after each what comes next",
      "printf 'sequence,time,mark\\nann,0,a\\nbob,0.5,b\\nann,1.5,a\\n' | cmanp events stream --model events.cmanp\n"
      "Times of the answers count from the sequence's last event on. A row without a time is a question.");
  add_model(verb, options->model)->required();
  add_stream_flags(verb, options->flags, "the sequences' states");
  verb->add_flag("--on-request", options->events.on_request, "Answer only rows without a time");
  verb->add_option("--interval", options->forecast.interval, "Probability of the interval")
      ->check(number_between(0.001, 0.999999))
      ->capture_default_str()
      ->type_name("P");
  verb->add_option("--top", options->forecast.top, "Likeliest marks to print")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--horizon", options->forecast.horizon, "Probability of an event within this time, too")
      ->check(positive_number())
      ->type_name("TIME");
  add_event_columns(verb, options->events.columns);
  add_json(verb, options->forecast.json);
  verb->callback([options] { run_event_stream(*options); });
}

}  // namespace cmanp::cli
