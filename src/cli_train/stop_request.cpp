#include "cli_train/stop_request.hpp"

#include <csignal>

namespace cmanp::cli_train {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void on_stop(int signal) { received = signal; }

}  // namespace

void note_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int stop_signal() { return received; }

}  // namespace cmanp::cli_train
