#include "runtime/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmanp/error.hpp>
#include <cmath>

#include "base/grid_axis.hpp"

namespace cmanp::runtime {
namespace {

constexpr double kMostLatents = 1e6;
constexpr double kMostNumbers = 0x1p31;  // of all blocks' latents

[[noreturn]] void fail(const std::string& what) { throw Error(what, ErrorKind::argument); }

}  // namespace

Range default_range(const Config& config, const Normalisation& normalisation) {
  Range range;
  for (std::size_t axis = 0; axis < config.axes(); ++axis) {
    const auto raw = [&](double x) { return x * normalisation.x_scale[axis] + normalisation.x_shift[axis]; };
    range.low.push_back(raw(config.range_low));
    range.high.push_back(raw(config.range_high));
  }
  return range;
}

std::string to_text(const Range& range) {
  std::string text;
  for (std::size_t axis = 0; axis < range.low.size(); ++axis) {
    text += fmt::format("{}{}:{}", axis == 0 ? "" : ",", range.low[axis], range.high[axis]);
  }
  return text;
}

void refuse_outside(std::size_t index, std::span<const double> x, const Range& range, bool framed) {
  throw Error(
      fmt::format("point {}: x is {}, outside of the range {} of this context; open one over a wider range, or {}",
                  index + 1, fmt::join(x, ", "), to_text(range),
                  framed ? "with a window (--window), which moves on with what it observes"
                         : "give the model units of yours (`cmanp units`)"));
}

void check_same_range(const Range& one, const Range& other, const std::string& what) {
  if (one == other) return;
  throw Error(fmt::format("{} over the ranges {} and {} cannot be merged: their latents lie elsewhere", what,
                          to_text(one), to_text(other)),
              ErrorKind::wrong_model);
}

Grid Grid::over(const Config& config, const Normalisation& normalisation, const Range& range) {
  const std::size_t axes = config.axes();
  if (range.low.size() != axes || range.high.size() != axes) {
    fail(fmt::format("a range of {} where the model has {} x", range.low.size(), axes));
  }
  Grid grid;
  grid.range_ = range;
  grid.spacing_ = config.spacing;
  grid.shift_ = normalisation.x_shift;
  grid.scale_ = normalisation.x_scale;
  double latents = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const auto own = [&](double x) { return (x - grid.shift_[axis]) / grid.scale_[axis]; };
    const double low = own(range.low[axis]), high = own(range.high[axis]);
    if (!std::isfinite(high - low) || !(high > low)) {
      fail(fmt::format("a range from {} to {}: it must be from one finite number to a larger one", range.low[axis],
                       range.high[axis]));
    }
    const auto [origin, count] = base::GridAxis::over(low, high, config.spacing);
    latents *= count;
    if (!(latents <= kMostLatents &&
          latents * static_cast<double>(config.num_layers * config.d_model) < kMostNumbers)) {
      fail(fmt::format("a range from {} to {} at a spacing of {} asks for {:.4g} latents, more than there can be",
                       range.low[axis], range.high[axis], config.spacing * grid.scale_[axis], latents));
    }
    grid.origin_.push_back(origin);
    grid.counts_.push_back(static_cast<std::size_t>(count));
    grid.size_ *= grid.counts_.back();
  }
  return grid;
}

// The last axis runs fastest.
void Grid::write_places(float* places) const {
  for (std::size_t i = 0; i < size_; ++i) {
    std::size_t rest = i;
    for (std::size_t axis = axes(); axis-- > 0; rest /= counts_[axis]) {
      places[i * axes() + axis] = static_cast<float>(static_cast<double>(rest % counts_[axis]) * spacing_);
    }
  }
}

void Grid::write_places(const double* x, std::size_t count, float* places) const {
  const std::size_t dim_x = shift_.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      *places++ = static_cast<float>((x[i * dim_x + axis] - shift_[axis]) / scale_[axis] - origin_[axis]);
    }
  }
}

}  // namespace cmanp::runtime
