#include "measures/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::measures {
namespace {

constexpr double kErrors = 2;        // standard errors that a change has to be worth
constexpr std::size_t kFewest = 20;  // numbers: below, standard errors are guesses themselves
constexpr double kLeast = 1e-3, kMost = 1e3;

// The scale of highest likelihood: the root of the mean square.
double best_scale(double squares, std::size_t count) {
  return count == 0 ? 1 : std::clamp(std::sqrt(squares / static_cast<double>(count)), kLeast, kMost);
}

// log N(z; 0, scale²) - log N(z; 0, 1)
double gain_of(double z, double scale) { return z * z / 2 - z * z / (2 * scale * scale) - std::log(scale); }

// So that `level` covers its share of `sorted`, ascending and without signs: in units of the scaled deviation.
double band_scale(const std::vector<double>& sorted, const Level& level, double deviation_scale) {
  const auto count = static_cast<double>(sorted.size());
  // The rank that covers the share on average of new numbers, too (split conformal).
  const double rank = std::ceil(level.probability * (count + 1));
  const double quantile = sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, count)) - 1] / deviation_scale;
  return std::clamp(quantile / level.deviations, kLeast, kMost);
}

double share_inside(const std::vector<double>& sorted, double limit) {
  const auto inside = std::upper_bound(sorted.begin(), sorted.end(), limit) - sorted.begin();
  return static_cast<double>(inside) / static_cast<double>(sorted.size());
}

// One stays 1 where its band holds its share within twice the standard error.
BandScales bands_beside(std::span<const double> z, double deviation_scale) {
  BandScales scales = kPlainBands;
  std::vector<double> sorted;
  for (const double one : z) sorted.push_back(std::abs(one));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const Level& level = kLevels[i];
    const double share = share_inside(sorted, level.deviations * deviation_scale);
    const double error = std::sqrt(level.probability * (1 - level.probability) / static_cast<double>(z.size()));
    if (std::abs(share - level.probability) > kErrors * error) scales[i] = band_scale(sorted, level, deviation_scale);
  }
  return scales;
}

}  // namespace

BandScales bands_by(std::span<const double> z) { return z.size() < kFewest ? kPlainBands : bands_beside(z, 1); }

Calibration calibrate(std::span<const double> z, std::span<const std::size_t> fold, std::size_t folds) {
  Calibration result;
  if (z.size() < kFewest) return result;
  std::vector<double> squares(folds);
  std::vector<std::size_t> counts(folds);
  double all = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    squares[fold[i]] += z[i] * z[i];
    ++counts[fold[i]];
    all += z[i] * z[i];
  }
  base::RunningMean gain;
  for (std::size_t i = 0; i < z.size(); ++i) {
    gain.add(gain_of(z[i], best_scale(all - squares[fold[i]], z.size() - counts[fold[i]])));
  }
  result.gain = {gain.mean(), gain.standard_error()};
  if (result.gain.value > kErrors * result.gain.standard_error) result.deviation_scale = best_scale(all, z.size());

  result.band_scales = bands_beside(z, result.deviation_scale);
  return result;
}

}  // namespace cmanp::measures
