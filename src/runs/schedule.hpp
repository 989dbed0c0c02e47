// The learning rate of each step: a linear warm-up, then half a cosine down to zero.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

namespace cmanp::runs {

struct Schedule {
  std::string shape = "cosine";  // or constant
  double rate = 5e-4;
  std::int64_t warmup = 0;
  std::int64_t steps = 100000;

  // `step` counts from 0: the first step of a plain cosine has the full rate.
  double at(std::int64_t step) const {
    return at(step, static_cast<double>(step - warmup) / static_cast<double>(steps - warmup));
  }

  // `done` is the share of the run that is over, where it may end by something else than its steps.
  double at(std::int64_t step, double done) const {
    if (step < warmup) return rate * static_cast<double>(step + 1) / static_cast<double>(warmup);
    if (shape == "constant") return rate;
    return rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
  }
};

}  // namespace cmanp::runs
