// The frame that a signal's data are brought into before a model of signals sees them, and which its answers are
// brought back from: shift and scale of x and y by robust statistics of what was observed. Training draws its tasks
// into frames by these same functions. docs/universal.md says why they are as they are.
#pragma once

#include <cstddef>
#include <span>

namespace cmanp::base {

struct Scale {
  double shift = 0, scale = 1;

  double operator()(double value) const { return (value - shift) / scale; }
  double back(double value) const { return value * scale + shift; }
  bool operator==(const Scale&) const = default;
};

struct Frame {
  Scale x, y;
  bool operator==(const Frame&) const = default;
};

// How wide the observed range of x is in the frame, centred on 0, by the number of distinct places: 4 up to 100 of
// them, then growing by the square root, so that what many readings resolve is not below what a model's grid can hold;
// 16 at most.
double frame_width(std::size_t places);

// From the observed x, in any order. Fewer than two places say no range: then the scale is 1 about the place, or the
// identity without any. Here and below, what is not finite is left out.
Scale x_frame(std::span<const double> x);

// From the observed y: the median, and the spread between quartiles such as a normal's deviation is; not below a
// quarter of what the 5 % and 95 % quantiles say. Where half of all are equal that may be 0: then the mean distance
// from the median serves. Where all are equal, a quarter of their size, or 1 if they are 0 or there are none.
Scale y_frame(std::span<const double> y);

inline Frame frame_of(std::span<const double> x, std::span<const double> y) { return {x_frame(x), y_frame(y)}; }

}  // namespace cmanp::base
