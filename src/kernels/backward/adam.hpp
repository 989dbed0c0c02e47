// Adam's step over all parameters in one pass through memory, where tensor operations take ten.
#pragma once

#include <cstddef>

namespace cmanp::kernels {

struct AdamStep {
  float beta1, beta2;
  float rest1, rest2;  // 1 - beta, which of a rounded beta would be off in the fifth digit
  float rate;          // over 1 - beta1^step
  float scale;         // 1 / sqrt(1 - beta2^step)
  float epsilon;
};

// Moves both moments by the gradients, and values by the moments: by that share of it where `share` is not null.
void adam(const AdamStep& step, std::size_t count, const float* gradients, const float* share, float* values,
          float* first_moment, float* second_moment);

}  // namespace cmanp::kernels
