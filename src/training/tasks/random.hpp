// Random numbers that depend on nothing but (seed, stream, index): what is drawn for step k of a run is the same
// whether the run came there unbroken or was resumed, and on every platform.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace cmanp::training {

// What the numbers are for: streams of one seed have nothing to do with each other.
enum class Stream : std::uint64_t { training = 1, evaluation = 2, model = 3, weights = 4, order = 5 };

// One well-mixed number out of three.
std::uint64_t mix_seed(std::uint64_t seed, Stream stream, std::uint64_t index);

class Random : public base::Random {
 public:
  Random(std::uint64_t seed, Stream stream, std::uint64_t index) : base::Random(mix_seed(seed, stream, index)) {}

  std::int64_t integer(std::int64_t low, std::int64_t high);  // [low, high)
  double gamma(double shape);                                 // scale 1, shape above 1
  double student_t(double degrees_of_freedom);
};

}  // namespace cmanp::training
