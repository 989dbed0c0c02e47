// The verbs of `cmanp`: each adds itself to the command line and runs when it is the one asked for.
// A verb parses, calls the library and prints; it computes nothing.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/program.hpp"

namespace cmanp::cli {

void add_predict(CLI::App& app);
void add_plot(CLI::App& app);
void add_complete(CLI::App& app);
void add_score(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_stream(CLI::App& app);
void add_condition(CLI::App& app);
void add_merge(CLI::App& app);
void add_inspect(CLI::App& app);
void add_units(CLI::App& app);
void add_import(CLI::App& app);
void add_init(CLI::App& app);
void add_data(CLI::App& app);
void add_forecast(CLI::App& app);
void add_bandit(CLI::App& app);
void add_bench(CLI::App& app);
void add_events(CLI::App& app);

// The program with all of them.
Program lean_program();

}  // namespace cmanp::cli
