// `cmanp events`: the verbs of event sequences that need libtorch.
#pragma once

#include <CLI/CLI.hpp>

namespace cmanp::cli_train {

void add_events_train(CLI::App& events);
void add_events_eval(CLI::App& events);
void add_events_baselines(CLI::App& events);
void add_events_export(CLI::App& events);

}  // namespace cmanp::cli_train
