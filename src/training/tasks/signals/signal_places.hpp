// Where signals are observed and asked for, in the frame's units.
#pragma once

#include <cstddef>
#include <vector>

#include "training/tasks/random.hpp"
#include "training/tasks/signals/signal_kernel.hpp"

namespace cmanp::training {

// How far targets lie beyond the observed range, in its widths; 0: none do.
struct Beyond {
  double before = 0, after = 0;
};

// As a batch has it: of four, one has none, and the others mostly look ahead.
Beyond draw_beyond(const SignalPrior& prior, Random& random);

struct Places {
  std::vector<double> observed, asked;
  Extent range;  // of the observed; that of an empty frame where there are fewer than two
};

// Regular, irregular, clustered or repeated, and with gaps; in a frame, as base::x_frame makes it. Targets are among
// the observed, anywhere between, in large gaps, and beyond.
Places draw_places(const SignalPrior& prior, std::size_t observed, std::size_t asked, const Beyond& beyond,
                   Random& random);

}  // namespace cmanp::training
