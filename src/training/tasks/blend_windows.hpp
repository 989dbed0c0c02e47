// Training windows as sums of two: so that what a series looks like is learned, not the series by heart.
#pragma once

#include "training/batch.hpp"
#include "training/tasks/random.hpp"

namespace cmanp::training {

// Adds to some tasks of a batch, a share of them, the next one at a random weight of either sign, context and targets
// alike, and takes the sum in its own context's units. Tasks whose points do not lie at the same x stay as they are.
void blend_windows(Batch& batch, double share, bool robust, Random& random);

}  // namespace cmanp::training
