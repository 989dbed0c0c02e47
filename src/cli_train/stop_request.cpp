#include "cli_train/stop_request.hpp"

#include <csignal>

#include "cli/stop_handler.hpp"

namespace cmanp::cli_train {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void on_stop(int signal) { received = signal; }

}  // namespace

void note_stop_signals() { cli::handle_stop_signals(on_stop); }

int stop_signal() { return received; }

}  // namespace cmanp::cli_train
