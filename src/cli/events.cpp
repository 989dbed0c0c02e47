// cmanp events: sequences of events, and what a model says of the next one.
#include "cli/events.hpp"

#include "cli/options.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {

void add_event_columns(CLI::App* verb, events::ReadOptions& options) {
  const auto add = [&](const char* flag, std::string& column, const char* what) {
    verb->add_option(flag, column, what)->capture_default_str()->type_name("NAME");
  };
  add("--sequence-column", options.sequence_column, "The column that names an event's sequence");
  add("--time-column", options.time_column, "The column with its time: a number, or a date");
  add("--mark-column", options.mark_column, "The column with its mark: the event's kind");
}

void add_events(CLI::App& app) {
  CLI::App* verb = add_verb(app, "events", "Sequences of events: when the next one comes, and of which kind",
                            "printf 'time,mark\\n0,a\\n1.5,b\\n' | cmanp events stream --model events.cmanp\n"
                            "The verbs train, eval, baselines and export of events belong to the training half.");
  verb->require_subcommand(1);
  add_events_stream(*verb);
  add_events_inspect(*verb);
  add_events_plot(*verb);
  add_events_simulate(*verb);
}

}  // namespace cmanp::cli
