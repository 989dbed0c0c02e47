// Mean and standard error of the mean, one value after the other (Welford).
#pragma once

#include <cmath>
#include <cstddef>

namespace cmanp::base {

class RunningMean {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }

  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  double standard_error() const {
    const auto n = static_cast<double>(count_);
    return count_ < 2 ? 0 : std::sqrt(squares_ / (n - 1) / n);
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace cmanp::base
