#include "base/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "base/median.hpp"

namespace cmanp::base {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kFiner = 4;  // frequencies for each that the length of the signal tells apart

// In place; the number of values is a power of two.
void fourier_transform(std::vector<Complex>& values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, reversed = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; reversed & bit; bit /= 2) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) std::swap(values[i], values[reversed]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    const Complex step = std::polar(1.0, -2 * kPi / static_cast<double>(length));
    for (std::size_t begin = 0; begin < n; begin += length) {
      Complex turn = 1;
      for (std::size_t i = begin; i < begin + length / 2; ++i, turn *= step) {
        const Complex even = values[i], odd = values[i + length / 2] * turn;
        values[i] = even + odd;
        values[i + length / 2] = even - odd;
      }
    }
  }
}

// Means within cells of one width, as many as there are values; a line across cells that have none.
std::vector<double> on_a_grid(std::span<const double> x, std::span<const double> y) {
  const std::size_t cells = x.size();
  const double width = x.back() - x.front();
  std::vector<double> sums(cells), counts(cells);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto cell = static_cast<std::size_t>((x[i] - x.front()) / width * static_cast<double>(cells));
    sums[std::min(cell, cells - 1)] += y[i];
    counts[std::min(cell, cells - 1)] += 1;
  }
  std::size_t before = 0;  // the first cell and the last hold the ends
  for (std::size_t i = 0; i < cells; ++i) {
    if (counts[i] == 0) continue;
    sums[i] /= counts[i];
    for (std::size_t gap = before + 1; gap < i; ++gap) {
      sums[gap] = std::lerp(sums[before], sums[i], static_cast<double>(gap - before) / static_cast<double>(i - before));
    }
    before = i;
  }
  return sums;
}

// Less its mean and slope, faded out to both ends: a step from the end to the start would be seen at all frequencies.
void fade(std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, slope = 0, square = 0;
  for (const double value : values) mean += value / n;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = static_cast<double>(i) - 0.5 * (n - 1);
    slope += at * (values[i] - mean);
    square += at * at;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = static_cast<double>(i) - 0.5 * (n - 1);
    values[i] = (values[i] - mean - slope / square * at) * (0.5 + 0.5 * std::cos(2 * kPi * at / n));
  }
}

}  // namespace

std::vector<double> spectral_peaks(std::span<const double> x, std::span<const double> y, double shortest,
                                   double longest, std::size_t most) {
  std::vector<double> grid = on_a_grid(x, y);
  fade(grid);
  std::size_t padded = 1;
  while (padded < kFiner * grid.size()) padded *= 2;
  std::vector<Complex> values(padded);
  std::copy(grid.begin(), grid.end(), values.begin());
  fourier_transform(values);
  std::vector<double> power;  // its logarithm
  for (std::size_t k = 0; k <= padded / 2; ++k) power.push_back(std::log(std::norm(values[k]) + 1e-300));

  const double span_of_cells = (x.back() - x.front()) * static_cast<double>(padded) / static_cast<double>(grid.size());
  std::vector<std::pair<double, double>> peaks;  // how far above its surroundings, and the period
  for (std::size_t k = 1; k + 1 < power.size(); ++k) {
    const double period = span_of_cells / static_cast<double>(k);
    if (period > longest || period < shortest || power[k] < power[k - 1] || power[k] < power[k + 1]) continue;
    const std::size_t about = std::max(4 * kFiner, k / 3);
    const std::size_t low = k - std::min(k - 1, about), high = std::min(power.size(), k + about);
    const std::vector<double> surroundings(power.begin() + static_cast<std::ptrdiff_t>(low),
                                           power.begin() + static_cast<std::ptrdiff_t>(high));
    peaks.emplace_back(power[k] - median(surroundings), period);
  }
  std::sort(peaks.rbegin(), peaks.rend());
  std::vector<double> periods;
  for (std::size_t i = 0; i < std::min(most, peaks.size()); ++i) periods.push_back(peaks[i].second);
  return periods;
}

}  // namespace cmanp::base
