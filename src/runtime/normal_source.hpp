// Standard normal numbers from a seed and a stream, the same on every platform.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace cmanp::runtime {

class NormalSource {
 public:
  NormalSource(std::uint64_t seed, std::uint64_t stream) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
    generator_.seed(words);
  }

  // Box-Muller: the library's own distribution differs between implementations.
  double next() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    const double angle = 2.0 * std::numbers::pi * uniform();
    second_ = radius * std::sin(angle);
    has_second_ = true;
    return radius * std::cos(angle);
  }

  double uniform() { return std::ldexp(static_cast<double>(generator_() >> 11), -53); }

 private:
  std::mt19937_64 generator_;
  double second_ = 0;
  bool has_second_ = false;
};

}  // namespace cmanp::runtime
