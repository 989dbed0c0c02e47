// The best that any model can do.
#pragma once

namespace cmanp::training {

// The best log-likelihood per target point that any model can have on a batch: targets predicted jointly, and each by
// itself.
struct Limits {
  double joint = 0;
  double marginal = 0;
};

}  // namespace cmanp::training
