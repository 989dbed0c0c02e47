#include "cli/messages.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "cli/stop_signal.hpp"

namespace cmanp::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// A terminal that has colours, and whose owner did not ask for none (no-color.org).
bool has_colours() {
  const std::string_view terminal = variable("TERM");
  return isatty(STDERR_FILENO) == 1 && !terminal.empty() && terminal != "dumb" && variable("NO_COLOR").empty();
}

// As ECMA-48 numbers them.
enum class Colour { dim = 2, red = 31, yellow = 33 };

void tell_as(const std::string& word, Colour colour, const std::string& text) {
  const std::string number = std::to_string(static_cast<int>(colour));
  tell((has_colours() ? "\033[" + number + "m" + word + "\033[0m " : word + " ") + text);
}

}  // namespace

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
void note(const std::string& text) { tell_as("note:", Colour::dim, text); }
void warn(const std::string& text) { tell_as("warning:", Colour::yellow, text); }
void say_error(const std::string& text) { tell_as("error:", Colour::red, text); }

}  // namespace cmanp::cli
