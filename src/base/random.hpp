// Random numbers that are the same on every platform: the standard library's generators are, its distributions differ
// from one implementation to the next.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>

namespace cmanp::base {

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  // Streams of one seed have nothing to do with each other.
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
    bits_.seed(words);
  }

  std::uint64_t bits() { return bits_(); }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

  double normal() { return normal_pair().first; }

  // Box and Muller: two standard normal numbers out of two uniform ones.
  struct Pair {
    double first, second;
  };
  Pair normal_pair() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform())), angle = 2 * std::numbers::pi * uniform();
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace cmanp::base
