// Descriptors 0 to 2, which a caller may have closed.
#pragma once

#include <fcntl.h>

#include <cerrno>

namespace cmanp::cli {

// Takes those that are closed, so that no file that is opened later gets their number, and with it what is meant for
// standard output. They are opened the wrong way round: using them stays the error that it is.
inline void take_closed_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor) return;
  }
}

}  // namespace cmanp::cli
