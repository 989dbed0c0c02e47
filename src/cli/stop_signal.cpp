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
int wake_read = -1, wake_write = -1;  // a pipe

// A read that waits is interrupted, one that was about to start finds the end as well, and so does a poll that includes
// the pipe: no moment in which to miss it.
void on_stop(int signal) {
  const int saved = errno;
  received = signal;
  dup2(nothing, ended_input);
  [[maybe_unused]] const ssize_t written = write(wake_write, "", 1);  // full: it has been woken before
  errno = saved;
}

}  // namespace

void end_input_on_signal(int descriptor) {
  ended_input = descriptor;
  nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) throw Error(fmt::format("/dev/null: {}", std::generic_category().message(errno)));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", std::generic_category().message(errno)));
  }
  wake_read = ends[0];
  wake_write = ends[1];
  handle_stop_signals(on_stop);
}

int stop_signal() { return received; }

int stop_descriptor() { return wake_read; }

}  // namespace cmanp::cli
