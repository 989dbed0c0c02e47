#include "cli_train/program.hpp"

#include <cstdio>
#include <cstdlib>

#include "cli/program.hpp"
#include "cli/training_verbs.hpp"
#include "cli_train/verbs.hpp"

namespace cmanp::cli_train {
namespace {

void add_verbs(CLI::App& app) {
  add_train(app);
  add_eval(app);
  add_export(app);
  add_forecast(app);
  add_judge(app);
  add_models(app);
  add_bandit(app);
  add_bench(app);
  add_data(app);
  add_events(app);
  add_reproduce(app);
  add_signals(app);
  add_predict(app);
  add_plot(app);
  add_complete(app);
  add_score(app);
  add_calibrate(app);
  add_stream(app);
  add_import(app);
}

// libtorch takes its operators out of their tables one by one when a program ends, for a fifth of the time in which one
// that does little starts and ends. All is written by now, and nothing else waits for the end.
[[noreturn]] void end_at_once(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

cli::Program training_program() {
  return {.description = "Trains and evaluates neural processes: the whole family.",
          .footer =
              "`cmanp VERB --help` explains a verb and shows an example.\n"
              "The verbs that use a trained model are in `cmanp --help`.",
          .add_verbs = add_verbs};
}

void run_and_end(int argc, char** argv) { end_at_once(cli::run_program(training_program(), argc, argv)); }

void run_if_it_needs_libtorch(const std::vector<std::string>& command) {
  if (cli::training_verb_in(command).empty()) return;
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.begin(), "cmanp-train");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  run_and_end(static_cast<int>(arguments.size()), pointers.data());
}

}  // namespace cmanp::cli_train
