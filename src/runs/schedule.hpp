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
  bool under_warmup = false;  // the cosine begins with the run, not where its warm-up ends

  // `step` counts from 0: the first step of a plain cosine has the full rate.
  double at(std::int64_t step) const {
    if (step < warmup) return rate * static_cast<double>(step + 1) / static_cast<double>(warmup);
    if (shape == "constant") return rate;
    const std::int64_t begin = under_warmup ? 0 : warmup;
    const double done = static_cast<double>(step - begin) / static_cast<double>(steps - begin);
    return rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
  }
};

}  // namespace cmanp::runs
