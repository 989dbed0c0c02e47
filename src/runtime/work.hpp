// How much arithmetic a model asks for, in multiply-adds: what benchmarks divide by the time.
#pragma once

#include <cstddef>

#include "runtime/weights.hpp"

namespace cmanp::runtime {

std::size_t absorb_multiply_adds(const Weights& weights);   // one observation
std::size_t refresh_multiply_adds(const Weights& weights);  // latents, and the keys that queries read
std::size_t query_multiply_adds(const Weights& weights);    // one target after a refresh

}  // namespace cmanp::runtime
