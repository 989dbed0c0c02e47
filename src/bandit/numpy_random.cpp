#include "bandit/numpy_random.hpp"

#include <bit>
#include <cmath>

namespace cmanp::bandit {

double NumpyRandom::uniform() {
  const auto high = static_cast<double>(bits_() >> 5), low = static_cast<double>(bits_() >> 6);
  return (high * 0x1p26 + low) * 0x1p-53;
}

// Marsaglia's polar method; the second of each pair is kept for the next call.
double NumpyRandom::normal(double mean, double deviation) {
  if (has_second_) {
    has_second_ = false;
    return mean + deviation * second_;
  }
  double x, y, square;
  do {
    x = 2 * uniform() - 1;
    y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * std::log(square) / square);
  second_ = factor * x;
  has_second_ = true;
  return mean + deviation * (factor * y);
}

std::size_t NumpyRandom::up_to(std::size_t most) {
  const std::size_t mask = std::bit_ceil(most + 1) - 1;
  std::size_t drawn;
  do {
    drawn = bits_() & mask;
  } while (drawn > most);
  return drawn;
}

}  // namespace cmanp::bandit
