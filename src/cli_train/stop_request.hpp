// Ctrl-C as a wish: the work in hand is finished and saved before the program leaves.
#pragma once

namespace cmanp::cli_train {

// From now on the first SIGINT or SIGTERM is only noted; the second one kills. SIGHUP is noted as often as it comes:
// a launcher's end sends one for each of its threads.
void note_stop_signals();

// The signal that came, or 0.
int stop_signal();

}  // namespace cmanp::cli_train
