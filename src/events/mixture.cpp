#include "events/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cmanp {
namespace {

// log(sum of weight * exp(term)) over components, with the largest term taken out.
template <class Term>
double log_sum(const LogNormalMixture& mixture, const Term& term) {
  double largest = -std::numeric_limits<double>::infinity();
  std::vector<double> terms(mixture.weights.size());
  for (std::size_t k = 0; k < terms.size(); ++k) {
    terms[k] = std::log(mixture.weights[k]) + term(mixture.means[k], mixture.deviations[k]);
    largest = std::max(largest, terms[k]);
  }
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double value : terms) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// log(1 - Phi(x)); far out by its asymptotic series, where erfc is zero in double.
double log_normal_survival(double x) {
  if (x < 30) return std::log(normal_cdf(-x));
  const double square = 1 / (x * x);
  return -0.5 * x * x - std::log(x) - 0.5 * std::log(2 * std::numbers::pi) + std::log1p(-square + 3 * square * square);
}

double cdf_of_log(const LogNormalMixture& mixture, double log_time) {
  double sum = 0;
  for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
    sum += mixture.weights[k] * normal_cdf((log_time - mixture.means[k]) / mixture.deviations[k]);
  }
  return std::min(sum, 1.0);
}

}  // namespace

double LogNormalMixture::log_density(double time) const {
  const double log_time = std::log(time);
  return log_sum(*this, [&](double mean, double deviation) {
    const double z = (log_time - mean) / deviation;
    return -0.5 * z * z - std::log(deviation) - 0.5 * std::log(2 * std::numbers::pi) - log_time;
  });
}

double LogNormalMixture::cdf(double time) const { return time > 0 ? cdf_of_log(*this, std::log(time)) : 0.0; }

double LogNormalMixture::log_survival(double time) const {
  if (!(time > 0)) return 0;
  const double log_time = std::log(time);
  const double result =
      log_sum(*this, [&](double mean, double deviation) { return log_normal_survival((log_time - mean) / deviation); });
  return std::min(result, 0.0);
}

double LogNormalMixture::intensity(double time) const { return std::exp(log_density(time) - log_survival(time)); }

double LogNormalMixture::quantile(double share) const {
  constexpr double kFar = 38;  // deviations: beyond, a normal has no mass in double
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    low = std::min(low, means[k] - kFar * deviations[k]);
    high = std::max(high, means[k] + kFar * deviations[k]);
  }
  for (int i = 0; i < 200 && high - low > 1e-13 * std::max(1.0, std::abs(low)); ++i) {
    const double middle = 0.5 * (low + high);
    (cdf_of_log(*this, middle) < share ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

double LogNormalMixture::mean_up_to(double limit) const {
  const double log_limit = std::log(limit);
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double variance = deviations[k] * deviations[k];
    const double below = normal_cdf((log_limit - means[k] - variance) / deviations[k]);
    // Where all of the mean's weight is beyond the limit, the exponential may be beyond all numbers.
    const double earlier = below > 0 ? std::exp(means[k] + 0.5 * variance + std::log(below)) : 0;
    sum += weights[k] * (earlier + limit * normal_cdf((means[k] - log_limit) / deviations[k]));
  }
  return sum;
}

namespace events {

double bounded_log_deviation(double raw) { return -1 + 4 * std::tanh(raw / 4); }

LogNormalMixture make_mixture(const std::vector<double>& raw, double log_mean, double log_std) {
  const std::size_t count = raw.size() / 3;
  LogNormalMixture mixture;
  const double largest = *std::max_element(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(count));
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    mixture.weights.push_back(std::exp(raw[k] - largest));
    sum += mixture.weights.back();
    mixture.means.push_back(log_mean + log_std * raw[count + k]);
    mixture.deviations.push_back(log_std * std::exp(bounded_log_deviation(raw[2 * count + k])));
  }
  for (double& weight : mixture.weights) weight /= sum;
  return mixture;
}

}  // namespace events
}  // namespace cmanp
