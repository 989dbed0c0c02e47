// Warns once of observations outside of a range, and once of targets there.
#pragma once

#include <fmt/format.h>

#include <cmanp/model.hpp>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "streams/point_batch.hpp"

namespace cmanp::streams {

class OutsideWarner {
 public:
  using Warn = std::function<void(const std::string&)>;

  OutsideWarner(Range range, std::size_t dim_x, Warn warn)
      : range_(std::move(range)), dim_x_(dim_x), warn_(std::move(warn)) {}

  void points(std::span<const double> x) {
    if (!said_points_) say(x, said_points_, "observations", "they count for places near them only");
  }
  void targets(std::span<const double> x) {
    if (!said_targets_) say(x, said_targets_, "targets", "their answers are those of an empty context");
  }

 private:
  void say(std::span<const double> x, bool& said, const std::string& what, const std::string& meaning) {
    const std::size_t axes = range_.low.size(), first = range_.first_outside(x, dim_x_);
    if (axes == 0 || first == x.size() / dim_x_) return;
    said = true;
    std::string at, range;
    for (std::size_t c = 0; c < axes; ++c) {
      at += fmt::format("{}{}", c == 0 ? "" : ", ", x[first * dim_x_ + c]);
      range += fmt::format("{}{}:{}", c == 0 ? "" : ",", range_.low[c], range_.high[c]);
    }
    warn_(fmt::format("{} outside of the range {}, the first at x = {}: {} (--range)", what, range, at, meaning));
  }

  Range range_;
  std::size_t dim_x_;
  Warn warn_;
  bool said_points_ = false, said_targets_ = false;
};

}  // namespace cmanp::streams
