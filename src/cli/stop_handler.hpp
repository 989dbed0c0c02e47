// What programs that save before they leave do about SIGINT, SIGTERM and SIGHUP.
#pragma once

#include <csignal>

namespace cmanp::cli {

// The first SIGINT or SIGTERM calls `handler`; the second one ends the program, as ever. SIGHUP calls it as often as it
// comes, since a launcher's end sends one for each of its threads; where it is ignored, as nohup has it, it stays so.
inline void handle_stop_signals(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

}  // namespace cmanp::cli
