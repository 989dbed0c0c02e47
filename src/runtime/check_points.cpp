#include "runtime/check_points.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>

namespace cmanp::runtime {
namespace {

void check_values(std::span<const double> values, const std::vector<double>& shift, const std::vector<double>& scale,
                  const char* what) {
  const std::size_t dim = shift.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    const std::size_t c = i % dim;
    if (std::abs((value - shift[c]) / scale[c]) <= kLargest) continue;
    throw Error(fmt::format("point {}: {}{} is {}, {}", i / dim + 1, what, c + 1, value,
                            std::isfinite(value) ? "too large for this model" : "not a finite number"));
  }
}

}  // namespace

std::size_t count_points(const Normalisation& normalisation, std::span<const double> x) {
  const std::size_t dx = normalisation.x_shift.size();
  if (x.size() % dx != 0) {
    throw Error(fmt::format("x holds {} numbers, which is no multiple of the {} that a point has", x.size(), dx),
                ErrorKind::argument);
  }
  check_values(x, normalisation.x_shift, normalisation.x_scale, "x");
  return x.size() / dx;
}

std::size_t count_points(const Normalisation& normalisation, std::span<const double> x, std::span<const double> y) {
  const std::size_t count = count_points(normalisation, x), dy = normalisation.y_shift.size();
  if (y.size() != count * dy) {
    throw Error(fmt::format("y holds {} numbers where the {} points of x need {}", y.size(), count, count * dy),
                ErrorKind::argument);
  }
  check_values(y, normalisation.y_shift, normalisation.y_scale, "y");
  return count;
}

}  // namespace cmanp::runtime
