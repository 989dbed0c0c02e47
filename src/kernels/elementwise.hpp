// Functions of single numbers, over arrays of any length.
#pragma once

#include <cstddef>

namespace cmanp::kernels {

// e^x within 2 ulp; 0 where the result is below the smallest normal number, infinity above the largest.
void exp(const float* x, std::size_t count, float* y);

// x Phi(x), with the exact normal distribution function.
void gelu(const float* x, std::size_t count, float* y);

}  // namespace cmanp::kernels
