// SIGINT, SIGTERM and SIGHUP as the end of input: the reader finds no more rows, and the program ends in its usual way.
#pragma once

namespace cmanp::cli {

// From now on, the first of these signals ends what `descriptor` gives; a second SIGINT or SIGTERM kills.
void end_input_on_signal(int descriptor);

// The signal that came, or 0.
int stop_signal();

// For poll(): to be read from once a signal came. -1 before end_input_on_signal().
int stop_descriptor();

}  // namespace cmanp::cli
