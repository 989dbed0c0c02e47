// cmanp-train: the verbs that need libtorch. `cmanp` starts it for them, and it speaks as `cmanp`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/program.hpp"
#include "cli/wait_policy.hpp"
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

// Started by hand, libgomp is loaded by now: once more, with its threads told to sleep. Where that fails, all works,
// but slower on a busy machine.
void start_anew_if_threads_would_spin(char** argv) {
  if (!cli::ask_for_sleeping_threads()) return;
  std::error_code ignored;
  execv(std::filesystem::read_symlink("/proc/self/exe", ignored).c_str(), argv);
}

// libtorch takes its operators out of their tables one by one when a program ends, for a fifth of the time in which one
// that does little starts and ends. All is written by now, and nothing else waits for the end.
[[noreturn]] void end_at_once(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace
}  // namespace cmanp::cli_train

int main(int argc, char** argv) {
  cmanp::cli_train::start_anew_if_threads_would_spin(argv);
  const int code = cmanp::cli::run_program({.description = "Trains and evaluates neural processes: the whole family.",
                                            .footer = "`cmanp VERB --help` explains a verb and shows an example.\n"
                                                      "The verbs that use a trained model are in `cmanp --help`.",
                                            .add_verbs = cmanp::cli_train::add_verbs},
                                           argc, argv);
  cmanp::cli_train::end_at_once(code);
}
