#include "cli/unblocked_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cli/output.hpp"

namespace cmanp::cli {

UnblockedOutput::UnblockedOutput(int descriptor) : descriptor_(descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return;  // the first write says what is wrong
  if (S_ISSOCK(status.st_mode)) {
    kind_ = Kind::socket;
  } else if (S_ISFIFO(status.st_mode) || isatty(descriptor) == 1) {
    const std::string name = fmt::format("/proc/self/fd/{}", descriptor);
    const int again = open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    owned_ = again >= 0;
    if (owned_) descriptor_ = again;
    if (!owned_) kind_ = Kind::small_steps;
  }
}

UnblockedOutput::~UnblockedOutput() {
  if (owned_) close(descriptor_);
}

std::size_t UnblockedOutput::write(std::string_view text) {
  while (true) {
    ssize_t written = -1;
    if (kind_ == Kind::socket) {
      written = send(descriptor_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (kind_ == Kind::unblocked) {
      written = ::write(descriptor_, text.data(), text.size());
    } else {
      pollfd room{descriptor_, POLLOUT, 0};
      if (poll(&room, 1, 0) == 0) return 0;
      written = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    }
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) fail_output(errno);
  }
}

}  // namespace cmanp::cli
