// Rows of observations on their way into a context: gathered into batches, each bad one blamed by file and line.
#pragma once

#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tables/csv.hpp"

namespace cmanp::streams {

// Told of a row that can not be used; throws, or returns to go on with the next.
using OnBadRow = std::function<void(const Error&)>;

// Where points go. Refuses some by an Error, and then keeps nothing of the call.
using Observe = std::function<void(std::span<const double> x, std::span<const double> y)>;

inline Observe into(Context& context) {
  return [&context](std::span<const double> x, std::span<const double> y) { context.observe(x, y); };
}

class PointBatch {
 public:
  // A size that does not depend on the number of threads, so that the result does not either.
  static constexpr std::size_t kRows = 8192;

  void add(const tables::Row& row);
  bool full() const { return lines_.size() >= kRows; }
  bool empty() const { return lines_.empty(); }
  void clear();

  // Observes all that was added and forgets it. `name` is the file that it came from.
  void observe(const Observe& observe, const std::string& name, const OnBadRow& on_bad_row);

 private:
  std::vector<double> x_;             // [row][dim_x]
  std::vector<double> y_;             // [row][dim_y]
  std::vector<std::uint64_t> lines_;  // [row]
};

}  // namespace cmanp::streams
