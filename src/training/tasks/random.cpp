#include "training/tasks/random.hpp"

#include <cmath>

namespace cmanp::training {
namespace {

// The finaliser of SplitMix64: every bit of the input moves about half of the output's.
std::uint64_t scramble(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t mix_seed(std::uint64_t seed, Stream stream, std::uint64_t index) {
  return scramble(scramble(scramble(seed) ^ static_cast<std::uint64_t>(stream)) ^ index);
}

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(uniform() * static_cast<double>(high - low));
}

// Marsaglia and Tsang, 2000: a transformed normal, accepted nearly always.
double Random::gamma(double shape) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double Random::student_t(double degrees_of_freedom) {
  const double chi_squared = 2 * gamma(degrees_of_freedom / 2);
  return normal() / std::sqrt(chi_squared / degrees_of_freedom);
}

}  // namespace cmanp::training
