#include "training/tasks/signals/signal.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>

#include "base/frame.hpp"
#include "training/modules/densities.hpp"

namespace cmanp::training {
namespace {

constexpr double kNoNoise = 0.002;     // deviation of what has none: keeps the Cholesky factor sound
constexpr double kOwnVariance = 1e-6;  // of every value of a signal whose noise comes later, for the same reason
constexpr double kLeastDrift = 0.05;   // the noise's factor never falls below
constexpr std::size_t kFewestWithOutliers = 4;
constexpr int kAttempts = 200;

bool has(double share, Random& random) { return random.uniform() < share; }

double sign(Random& random) { return random.uniform() < 0.5 ? -1 : 1; }

// The covariance of all places, [n][n], the observed first, and its lower factor; nothing where rounding leaves none.
struct Factored {
  torch::Tensor covariance, lower;
};

std::optional<Factored> factor(const SignalParameters& parameters, const std::vector<double>& x,
                               const std::vector<double>& own_variance) {
  const auto n = static_cast<std::int64_t>(x.size());
  torch::Tensor covariance = torch::empty({n, n}, torch::kFloat64);
  double* to = covariance.data_ptr<double>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      to[i * x.size() + j] = to[j * x.size() + i] = parameters.covariance(x[i], x[j]);
    }
    to[i * x.size() + i] = parameters.covariance(x[i], x[i]) + own_variance[i];
  }
  const auto [lower, info] = at::linalg_cholesky_ex(covariance);
  if (info.item<int>() != 0) return {};
  return Factored{covariance, lower};
}

torch::Tensor normals(std::size_t count, Random& random) {
  torch::Tensor values = torch::empty({static_cast<std::int64_t>(count)}, torch::kFloat64);
  double* to = values.data_ptr<double>();
  for (std::size_t i = 0; i < count; ++i) to[i] = random.normal();
  return values;
}

std::vector<double> to_vector(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

std::vector<double> tail(const std::vector<double>& values, std::size_t first) {
  return {values.begin() + static_cast<std::ptrdiff_t>(first), values.end()};
}

void put_on_diagonal(Signal& signal, bool jointly) {
  const std::size_t m = signal.variance.size();
  if (!jointly) return;
  signal.covariance.assign(m * m, 0);
  for (std::size_t i = 0; i < m; ++i) signal.covariance[i * m + i] = signal.variance[i];
}

// With L L^T the covariance of all and the observed first, y = L z + mean: of those asked for, given the observed, the
// mean is their rows of L times the observed's z, and the rest of the rows is the factor of their covariance.
bool draw_normal(Signal& signal, const std::vector<double>& x, bool jointly, Random& random) {
  const SignalParameters& parameters = signal.parameters;
  std::vector<double> own;
  for (const double place : x) own.push_back(std::pow(parameters.noise_at(place, signal.places.range), 2));
  const std::optional<Factored> factored = factor(parameters, x, own);
  if (!factored) return false;
  const auto observed = static_cast<std::int64_t>(signal.places.observed.size());
  const auto asked = static_cast<std::int64_t>(signal.places.asked.size());
  const torch::Tensor z = normals(x.size(), random), y = factored->lower.mv(z);
  const torch::Tensor rows = factored->lower.narrow(0, observed, asked);
  const torch::Tensor known = rows.narrow(1, 0, observed), rest = rows.narrow(1, observed, asked);
  const torch::Tensor mean = known.mv(z.narrow(0, 0, observed)), variance = rest.square().sum(1);
  std::vector<double> values = to_vector(y);
  for (std::size_t i = 0; i < x.size(); ++i) values[i] += parameters.mean(x[i]);
  signal.observed.assign(values.begin(), values.begin() + observed);
  signal.asked = tail(values, static_cast<std::size_t>(observed));
  signal.mean = to_vector(mean);
  for (std::size_t i = 0; i < signal.mean.size(); ++i) signal.mean[i] += parameters.mean(signal.places.asked[i]);
  signal.variance = to_vector(variance);
  if (jointly) signal.covariance = to_vector(rest.mm(rest.t()));
  const torch::Tensor off = y.narrow(0, observed, asked) - mean;
  const double per_point = 1.0 / static_cast<double>(std::max<std::int64_t>(1, asked));
  const torch::Tensor drawn = z.narrow(0, observed, asked);
  signal.limits = Limits{
      -per_point * (0.5 * drawn.square() + rest.diagonal().log()).sum().item<double>() - log_root_two_pi(),
      -per_point * (0.5 * off.square() / variance + 0.5 * variance.log()).sum().item<double>() - log_root_two_pi()};
  return true;
}

std::string sum_of_products(const SignalKernel& kernel) {
  std::string text;
  for (const SignalKernel::Term& term : kernel.terms) {
    if (!text.empty()) text += " + ";
    for (std::size_t i = 0; i < term.factors.size(); ++i) {
      text += (i == 0 ? "" : " x ") + simple_kernel_names()[static_cast<std::size_t>(term.factors[i].kind)];
    }
  }
  return text;
}

// What a reading shows of a signal's value there.
class Reading {
 public:
  Reading(const SignalParameters& parameters, const Extent& range) : parameters_(parameters), range_(range) {}

  double deviation(double x, double value) const {
    const double constant = parameters_.noise_at(x, range_);
    if (!parameters_.growing) return constant;
    return constant * std::abs(value - parameters_.zero) / std::hypot(1, parameters_.zero);
  }

  double draw(double x, double value, Random& random) const {
    const double freedom = parameters_.tails;
    const double unit = freedom > 0 ? random.student_t(freedom) * std::sqrt((freedom - 2) / freedom) : random.normal();
    double read = value + deviation(x, value) * unit;
    if (parameters_.clipped) read = std::clamp(read, parameters_.floor, parameters_.cap);
    if (parameters_.step > 0) read = parameters_.step * std::round(read / parameters_.step);
    return read;
  }

  bool simple() const { return !parameters_.clipped && parameters_.step == 0; }  // moments

 private:
  const SignalParameters& parameters_;
  const Extent& range_;
};

void add_outliers(std::vector<double>& observed, double share, Random& random) {
  if (share == 0) return;
  const std::size_t certain = random.below(observed.size());
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const bool wrong = has(share, random) || i == certain;
    const double size = sign(random) * log_uniform(2, 20, random);
    if (wrong) observed[i] += size;
  }
}

bool draw_readings(Signal& signal, const std::vector<double>& x, bool jointly, Random& random) {
  const SignalParameters& parameters = signal.parameters;
  const std::optional<Factored> factored = factor(parameters, x, std::vector<double>(x.size(), kOwnVariance));
  if (!factored) return false;
  const std::vector<double> values = to_vector(factored->lower.mv(normals(x.size(), random)));
  const Reading reading(parameters, signal.places.range);
  const std::size_t observed = signal.places.observed.size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = values[i] + parameters.mean(x[i]), read = reading.draw(x[i], value, random);
    if (i < observed) {
      signal.observed.push_back(read);
      continue;
    }
    signal.asked.push_back(read);
    signal.mean.push_back(reading.simple() ? value : read);
    signal.variance.push_back(reading.simple() ? std::pow(reading.deviation(x[i], value), 2) : 0);
  }
  add_outliers(signal.observed, parameters.outlier_share, random);
  put_on_diagonal(signal, jointly);
  return true;
}

// Into units of the signal's own, and into the frame that the observed values then have.
void bring_into_frame(Signal& signal, double tolerance) {
  const double amplitude = signal.parameters.amplitude, offset = signal.parameters.offset;
  for (std::vector<double>* values : {&signal.observed, &signal.asked, &signal.mean}) {
    for (double& value : *values) value = amplitude * (value + offset);
  }
  const base::Scale frame = base::y_frame(signal.observed);
  for (std::vector<double>* values : {&signal.observed, &signal.asked, &signal.mean}) {
    for (double& value : *values) value = frame(value);
  }
  const double factor = amplitude / frame.scale, least = tolerance * tolerance;
  const std::size_t m = signal.variance.size();
  for (double& variance : signal.variance) variance = variance * factor * factor + least;
  for (double& covariance : signal.covariance) covariance *= factor * factor;
  for (std::size_t i = 0; i * m < signal.covariance.size(); ++i) signal.covariance[i * m + i] += least;
  if (signal.limits)
    signal.limits = Limits{signal.limits->joint - std::log(factor), signal.limits->marginal - std::log(factor)};
}

bool is_near(const Signal& signal, double farthest) {
  const auto all_near = [&](const std::vector<double>& values, double most) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return std::abs(value) <= most; });  // no NaN
  };
  return all_near(signal.observed, farthest) && all_near(signal.asked, farthest) && all_near(signal.mean, farthest) &&
         all_near(signal.variance, farthest * farthest);
}

}  // namespace

double SignalParameters::covariance(double a, double b) const {
  if (!changes) return kernel.covariance(a, b);
  if ((a < change) != (b < change)) return 0;
  return a < change ? kernel.covariance(a, b) : after.covariance(a, b);
}

double SignalParameters::mean(double x) const {
  double sum = 0;
  for (const Jump& jump : jumps) sum += x < jump.place ? 0 : jump.size;
  return sum;
}

double SignalParameters::noise_at(double x, const Extent& range) const {
  const double along = (2 * x - range.low - range.high) / range.width();  // -1 to 1 within
  return noise * std::max(kLeastDrift, 1 + drift * along);
}

std::string describe(const SignalParameters& p) {
  std::string text = sum_of_products(p.kernel);
  if (p.changes) text += ", then " + sum_of_products(p.after);
  if (p.noise > kNoNoise) text += fmt::format(", noise {:.2g}", p.noise);
  for (const auto& [name, there] : {std::pair{"drifting", p.drift != 0},
                                    {"growing", p.growing},
                                    {"heavy tails", p.tails > 0},
                                    {"jumps", p.jumps.size() > (p.changes ? 1 : 0)},
                                    {"outliers", p.outlier_share > 0},
                                    {"rounded", p.step > 0},
                                    {"clipped", p.clipped}}) {
    if (there) text += fmt::format(", {}", name);
  }
  return text;
}

SignalParameters draw_parameters(const SignalPrior& prior, const std::vector<Simple>& kinds, const Places& places,
                                 Random& random) {
  SignalParameters drawn;
  const Extent& range = places.range;
  drawn.kernel = draw_kernel(prior, kinds, range, random);
  if (has(prior.changes, random)) {
    drawn.changes = true;
    drawn.change = random.uniform(range.low, range.high);
    drawn.after = draw_kernel(prior, kinds, range, random);
    drawn.jumps.push_back({drawn.change, 2 * random.normal()});
  }
  if (has(prior.jumps, random)) {
    const auto [low, high] = std::minmax_element(places.asked.begin(), places.asked.end());
    const double first = places.asked.empty() ? range.low : std::min(range.low, *low);
    const double last = places.asked.empty() ? range.high : std::max(range.high, *high);
    for (std::size_t count = 1 + random.below(3); count > 0; --count) {
      drawn.jumps.push_back({random.uniform(first, last), sign(random) * log_uniform(0.3, 5, random)});
    }
  }
  drawn.noise = has(prior.no_noise, random) ? kNoNoise : log_uniform(prior.noise_low, prior.noise_high, random);
  if (has(prior.drifting, random)) drawn.drift = random.uniform(-0.9, 0.9);
  if (!prior.only_gaussian) {
    drawn.growing = has(prior.growing, random);
    if (drawn.growing) drawn.zero = sign(random) * log_uniform(0.1, 3, random);
    if (has(prior.student, random)) drawn.tails = log_uniform(2.5, 10, random);
    if (has(prior.outliers, random) && places.observed.size() >= kFewestWithOutliers) {
      drawn.outlier_share = log_uniform(0.002, 0.08, random);
    }
    if (has(prior.rounded, random)) drawn.step = log_uniform(0.02, 1, random);
    if (has(prior.clipped, random)) {
      drawn.clipped = true;
      const double which = random.uniform(), infinity = std::numeric_limits<double>::infinity();
      drawn.floor = which < 0.67 ? -random.uniform(0.2, 1.5) : -infinity;
      drawn.cap = which > 0.33 ? random.uniform(0.2, 1.5) : infinity;
    }
  }
  if (!places.observed.empty()) {  // else nothing says what they are
    drawn.amplitude = log_uniform(0.01, 100, random);
    if (has(0.7, random)) drawn.offset = sign(random) * log_uniform(0.1, 100, random);
  }
  return drawn;
}

Signal draw_signal(const SignalPrior& prior, const std::vector<Simple>& kinds, const SignalWanted& wanted,
                   const Beyond& beyond, Random& random) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Signal signal;
    signal.places = draw_places(prior, wanted.observed, wanted.asked, beyond, random);
    signal.parameters = draw_parameters(prior, kinds, signal.places, random);
    std::vector<double> x = signal.places.observed;
    x.insert(x.end(), signal.places.asked.begin(), signal.places.asked.end());
    const bool drawn = signal.parameters.gaussian() ? draw_normal(signal, x, wanted.jointly, random)
                                                    : draw_readings(signal, x, wanted.jointly, random);
    if (!drawn) continue;
    bring_into_frame(signal, prior.tolerance);
    if (is_near(signal, prior.farthest)) return signal;
  }
  throw Error(fmt::format("none of {} signals of {} points stays within farthest {}; make it more", kAttempts,
                          wanted.observed + wanted.asked, prior.farthest));
}

}  // namespace cmanp::training
