// Ranges and the ends of frames as C has them: pairs of numbers, one after the other.
#pragma once

#include <cmanp/model.hpp>
#include <span>

#include "capi/guard.hpp"

namespace cmanp::capi {

inline Range range_of_pairs(std::span<const double> pairs, const char* name) {
  if (pairs.size() % 2 != 0) {
    throw Error(fmt::format("{} holds {} numbers, which are no pairs", name, pairs.size()), ErrorKind::argument);
  }
  Range range;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    range.low.push_back(pairs[i]);
    range.high.push_back(pairs[i + 1]);
  }
  return range;
}

inline void check_pairs(std::size_t columns, std::span<double> pairs, const char* name) {
  if (pairs.size() == 2 * columns) return;
  throw Error(fmt::format("{} holds {} numbers where {} belong", name, pairs.size(), 2 * columns), ErrorKind::argument);
}

inline void write_pairs(const Range& range, std::span<double> pairs, const char* name) {
  check_pairs(range.low.size(), pairs, name);
  for (std::size_t i = 0; i < range.low.size(); ++i) {
    pairs[2 * i] = range.low[i];
    pairs[2 * i + 1] = range.high[i];
  }
}

inline void write_frame(const Normalisation& frame, std::span<double> x, std::span<double> y) {
  check_pairs(frame.y_shift.size(), y, "y_frame");  // before anything is written
  write_pairs(frame_ends(frame.x_shift, frame.x_scale), x, "x_frame");
  write_pairs(frame_ends(frame.y_shift, frame.y_scale), y, "y_frame");
}

}  // namespace cmanp::capi
