// SIGINT and SIGTERM as the end of input: the reader finds no more rows, and the program ends in its usual way.
#pragma once

namespace cmanp::cli {

// From now on, the first of these signals ends what `descriptor` gives; the second one kills.
void end_input_on_signal(int descriptor);

// The signal that came, or 0.
int stop_signal();

}  // namespace cmanp::cli
