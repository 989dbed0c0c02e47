// What programs that save before they leave do about SIGINT and SIGTERM.
#pragma once

#include <csignal>

namespace cmanp::cli {

// The first of either calls `handler`; the second ends the program, as ever.
inline void handle_stop_signals(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace cmanp::cli
