#include "base/frame_sample.hpp"

#include <algorithm>

namespace cmanp::base {
namespace {

// Keeps the first of every two rows.
void halve(std::vector<double>& rows, std::size_t width) {
  const std::size_t kept = (rows.size() / width + 1) / 2;
  for (std::size_t row = 1; row < kept; ++row) std::copy_n(&rows[2 * row * width], width, &rows[row * width]);
  rows.resize(kept * width);
}

}  // namespace

void FrameSample::add(std::span<const double> x, std::span<const double> y) {
  if (points_ == 0) {
    least_.assign(x.begin(), x.end());
    greatest_ = least_;
  }
  for (std::size_t c = 0; c < dim_x_; ++c) {
    least_[c] = std::min(least_[c], x[c]);
    greatest_[c] = std::max(greatest_[c], x[c]);
  }
  if (points_ % every_ == 0) {
    x_.insert(x_.end(), x.begin(), x.end());
    y_.insert(y_.end(), y.begin(), y.end());
    if (x_.size() / dim_x_ > kMost) thin_out();
  }
  ++points_;
}

void FrameSample::thin_out() {
  halve(x_, dim_x_);
  halve(y_, dim_y_);
  every_ *= 2;
}

std::vector<double> FrameSample::x() const {
  std::vector<double> all = x_;
  all.insert(all.end(), least_.begin(), least_.end());
  all.insert(all.end(), greatest_.begin(), greatest_.end());
  return all;
}

}  // namespace cmanp::base
