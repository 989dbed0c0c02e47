#include "cli/messages.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "cli/stop_signal.hpp"

namespace cmanp::cli {

void say(std::string_view text) noexcept {
  while (!text.empty()) {
    std::array<pollfd, 2> waiting{pollfd{STDERR_FILENO, POLLOUT, 0}, pollfd{stop_descriptor(), POLLIN, 0}};
    if (poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waiting[0].revents == 0) return;  // asked to stop, and nobody reads
    // So much goes without waiting wherever anything does.
    const ssize_t written = write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return;
    }
  }
}

void tell(const std::string& text) { say("cmanp: " + text + "\n"); }
void note(const std::string& text) { tell("note: " + text); }
void warn(const std::string& text) { tell("warning: " + text); }
void say_error(const std::string& text) { tell("error: " + text); }

}  // namespace cmanp::cli
