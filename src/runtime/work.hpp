// How much arithmetic a model asks for, in multiply-adds: what benchmarks divide by the time.
#pragma once

#include "runtime/layout.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

double absorb_multiply_adds(const Weights& weights, const Layout& layout);   // one observation
double refresh_multiply_adds(const Weights& weights, const Layout& layout);  // latents, and keys that queries read
double query_multiply_adds(const Weights& weights, const Layout& layout);    // one target after a refresh

}  // namespace cmanp::runtime
