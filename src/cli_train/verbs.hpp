// The verbs of the training half: each adds itself to the command line and runs when it is the one asked for.
#pragma once

#include <CLI/CLI.hpp>

namespace cmanp::cli_train {

void add_predict(CLI::App& app);
void add_score(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_plot(CLI::App& app);
void add_complete(CLI::App& app);
void add_stream(CLI::App& app);
void add_import(CLI::App& app);
void add_train(CLI::App& app);
void add_eval(CLI::App& app);
void add_export(CLI::App& app);
void add_forecast(CLI::App& app);
void add_judge(CLI::App& app);
void add_models(CLI::App& app);
void add_bandit(CLI::App& app);
void add_bandit_train(CLI::App& bandit);  // train, for the wheel
void add_bandit_optimise(CLI::App& bandit);
void add_bench(CLI::App& app);
void add_data(CLI::App& app);
void add_events(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_signals(CLI::App& app);

}  // namespace cmanp::cli_train
