#include "training/tasks/signals/signal_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <numbers>

#include "files/quote.hpp"
#include "training/registry.hpp"

namespace cmanp::training {
namespace {

constexpr int kProbes = 24;              // that the variance within a range is estimated from
constexpr double kLeastVariance = 1e-5;  // within the range, of all; less of it drowns in rounding
constexpr int kTries = 1000;

double periodic_covariance(double distance, double period, double length) {
  const double wave = std::sin(std::numbers::pi * distance / period) / length;
  return std::exp(-2 * wave * wave);
}

// Of a random walk's integral from 0, at two places on the same side.
double integrated_walk(double a, double b) {
  if (a * b <= 0) return 0;
  const double near = std::min(std::abs(a), std::abs(b)), far = std::max(std::abs(a), std::abs(b));
  return near * near * (3 * far - near) / 6;
}

bool turns_up(double share, Random& random) { return random.uniform() < share; }

}  // namespace

const std::vector<std::string>& simple_kernel_names() {
  static const std::vector<std::string> names{
      "rbf",      "matern12",         "matern32", "matern52",    "rational-quadratic",
      "periodic", "locally-periodic", "linear",   "random-walk", "trend"};
  return names;
}

std::vector<Simple> parse_kernels(const std::string& list) {
  const std::vector<std::string>& names = simple_kernel_names();
  std::vector<Simple> kinds;
  if (list == "all") {
    for (std::size_t i = 0; i < names.size(); ++i) kinds.push_back(static_cast<Simple>(i));
    return kinds;
  }
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw Error(fmt::format("kernels: there is no {}; there are all, or with commas between: {}", files::quote(name),
                              fmt::join(names, ", ")));
    }
    kinds.push_back(static_cast<Simple>(found - names.begin()));
    begin = end + 1;
  }
  return kinds;
}

double SimpleKernel::covariance(double a, double b) const {
  const double distance = std::abs(a - b), r = distance / length, from_a = a - origin, from_b = b - origin;
  switch (kind) {
    case Simple::rbf:
      return std::exp(-0.5 * r * r);
    case Simple::matern12:
      return std::exp(-r);
    case Simple::matern32:
      return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    case Simple::matern52:
      return (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
    case Simple::rational_quadratic:
      return std::pow(1 + r * r / (2 * shape), -shape);
    case Simple::periodic:
      return periodic_covariance(distance, period, shape);
    case Simple::locally_periodic:
      return periodic_covariance(distance, period, shape) * std::exp(-0.5 * r * r);
    case Simple::linear:
      return from_a * from_b;
    case Simple::random_walk:
      return 0.5 * (std::abs(from_a) + std::abs(from_b) - distance);
    case Simple::trend:
      return integrated_walk(from_a, from_b) + length * from_a * from_b;
  }
  return 0;
}

double SignalKernel::Term::covariance(double a, double b) const {
  double product = variance;
  for (const SimpleKernel& factor : factors) product *= factor.covariance(a, b);
  return product;
}

double SignalKernel::covariance(double a, double b) const {
  double sum = 0;
  for (const Term& term : terms) sum += term.covariance(a, b);
  return sum;
}

// E mean (f - mean f)² = mean of k(x, x) - mean of k(x, x')
double variance_within(const SignalKernel::Term& term, const Extent& range) {
  const auto place = [&](int i) { return range.low + range.width() * (i + 0.5) / kProbes; };
  double own = 0, all = 0;
  for (int i = 0; i < kProbes; ++i) {
    for (int j = 0; j < i; ++j) all += 2 * term.covariance(place(i), place(j));
    const double variance = term.covariance(place(i), place(i));
    own += variance;
    all += variance;
  }
  return own / kProbes - all / (kProbes * kProbes);
}

double log_uniform(double low, double high, Random& random) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

SimpleKernel draw_simple(Simple kind, const SignalPrior& prior, const Extent& range, Random& random) {
  const double width = range.width();
  SimpleKernel kernel{kind};
  kernel.length = log_uniform(prior.length_low, prior.length_high * width, random);
  kernel.period = log_uniform(prior.period_low, prior.period_high * width, random);
  kernel.origin = random.uniform(range.low, range.high);
  switch (kind) {
    case Simple::rational_quadratic:
      kernel.shape = log_uniform(0.1, 10, random);
      break;
    case Simple::periodic:
    case Simple::locally_periodic:  // it lives for at least a period
      kernel.shape = log_uniform(0.25, 3, random);
      kernel.length = std::max(kernel.length, kernel.period);
      break;
    case Simple::trend:  // a slope such as the walk itself reaches within the range, or less
      kernel.length = width * log_uniform(0.1, 1, random);
      break;
    default:
      break;
  }
  return kernel;
}

SignalKernel draw_kernel(const SignalPrior& prior, const std::vector<Simple>& kinds, const Extent& range,
                         Random& random) {
  for (int tries = 0; tries < kTries; ++tries) {
    SignalKernel kernel;
    const double share = random.uniform();
    const std::int64_t parts = std::min<std::int64_t>(prior.parts, share < 0.45 ? 1 : share < 0.8 ? 2 : 3);
    for (std::int64_t part = 0; part < parts; ++part) {
      if (part == 0 || !turns_up(prior.products, random)) kernel.terms.emplace_back();
      const Simple kind = kinds[random.below(kinds.size())];
      kernel.terms.back().factors.push_back(draw_simple(kind, prior, range, random));
    }
    double sum = 0;
    bool sound = true;
    for (SignalKernel::Term& term : kernel.terms) {
      const double within = variance_within(term, range), amplitude = log_uniform(0.2, 1, random);
      const double largest = std::max(term.covariance(range.low, range.low), term.covariance(range.high, range.high));
      sound = sound && std::isfinite(within) && within > kLeastVariance * std::max(1.0, largest);
      term.variance = amplitude * amplitude / within;
      sum += amplitude * amplitude;
    }
    if (!sound) continue;
    for (SignalKernel::Term& term : kernel.terms) term.variance /= sum;
    return kernel;
  }
  throw Error("signals that vary within what is observed are not to be had with these lengths and periods");
}

}  // namespace cmanp::training
