// Points to find a frame by, out of any number of them: all of a few, evenly thinned out of many, and always the ends
// of every x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cmanp::base {

class FrameSample {
 public:
  static constexpr std::size_t kMost = 1 << 17;  // points kept

  FrameSample(std::size_t dim_x, std::size_t dim_y) : dim_x_(dim_x), dim_y_(dim_y) {}

  void add(std::span<const double> x, std::span<const double> y);  // one point

  std::uint64_t points() const { return points_; }
  bool empty() const { return points_ == 0; }

  // Row-major. Of x there are two rows more, which hold the least and the greatest of each.
  std::vector<double> x() const;
  const std::vector<double>& y() const { return y_; }
  const std::vector<double>& least() const { return least_; }
  const std::vector<double>& greatest() const { return greatest_; }

 private:
  void thin_out();

  std::size_t dim_x_, dim_y_;
  std::uint64_t points_ = 0, every_ = 1;
  std::vector<double> x_, y_, least_, greatest_;
};

}  // namespace cmanp::base
