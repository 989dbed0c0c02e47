// `cmanp events`: the verbs of event sequences that the lean half has.
#pragma once

#include <CLI/CLI.hpp>

#include "events/read_events.hpp"

namespace cmanp::cli {

void add_events_stream(CLI::App& events);
void add_events_inspect(CLI::App& events);
void add_events_plot(CLI::App& events);
void add_events_simulate(CLI::App& events);

// Which columns of a table are which; the same flags everywhere.
void add_event_columns(CLI::App* verb, events::ReadOptions& options);

}  // namespace cmanp::cli
