// Counts the multiply-adds of a computation's matrix products: what benchmarks divide by the time.
#pragma once

#include <functional>

namespace cmanp::training {

// Runs `work` and watches every libtorch matrix product in it, backward passes included.
double count_multiply_adds(const std::function<void()>& work);

}  // namespace cmanp::training
