#include "forecasts/mixture.hpp"

#include <cmath>

namespace cmanp::forecasts {

Forecast mixture(std::span<const Forecast> answers) {
  const double share = 1 / static_cast<double>(answers.size());
  const std::size_t targets = answers.front().mean.size();
  Forecast mixed{std::vector<double>(targets, 0), std::vector<double>(targets, 0), {}};
  for (const Forecast& one : answers) {
    for (std::size_t i = 0; i < targets; ++i) mixed.mean[i] += share * one.mean[i];
    for (std::size_t level = 0; level < mixed.band_scales.size(); ++level) {
      mixed.band_scales[level] += share * one.band_scales[level];
    }
  }
  for (std::size_t i = 0; i < targets; ++i) {
    double variance = 0;
    for (const Forecast& one : answers) {
      const double off = one.mean[i] - mixed.mean[i];
      variance += share * (one.std[i] * one.std[i] + off * off);
    }
    mixed.std[i] = std::sqrt(variance);
  }
  return mixed;
}

}  // namespace cmanp::forecasts
