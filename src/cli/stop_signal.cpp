#include "cli/stop_signal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmanp/error.hpp>
#include <csignal>
#include <system_error>

#include "cli/stop_handler.hpp"

namespace cmanp::cli {

namespace {

volatile std::sig_atomic_t received = 0;
int nothing = -1;  // /dev/null
int ended_input = -1;

// A read that waits is interrupted, one that was about to start finds the end as well: no moment in which to miss it.
extern "C" void on_stop(int signal) {
  const int saved = errno;
  received = signal;
  dup2(nothing, ended_input);
  errno = saved;
}

}  // namespace

void end_input_on_signal(int descriptor) {
  ended_input = descriptor;
  nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) throw Error(fmt::format("/dev/null: {}", std::generic_category().message(errno)));
  handle_stop_signals(on_stop);
}

int stop_signal() { return received; }

}  // namespace cmanp::cli
