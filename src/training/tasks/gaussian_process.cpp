#include "training/tasks/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

namespace cmanp::training {
namespace {

// Several sums at once: one alone would wait for itself at every step.
double dot(const double* left, const double* right, std::size_t count) {
  std::array<double, 8> sums{};
  const std::size_t whole = count / sums.size() * sums.size();
  for (std::size_t i = 0; i < whole; i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += left[i + k] * right[i + k];
  }
  const double rest = std::inner_product(left + whole, left + count, right + whole, 0.0);
  return std::accumulate(sums.begin(), sums.end(), rest);
}

double log_normal_density(double z, double deviation) {
  return -0.5 * z * z - std::log(deviation) - 0.5 * std::log(2 * std::numbers::pi);
}

double correlation(Kernel kernel, double distance, double length, double period) {
  const double r = distance / length;
  switch (kernel) {
    case Kernel::rbf:
      return std::exp(-0.5 * r * r);
    case Kernel::matern: {  // smoothness 5/2
      const double s = std::sqrt(5.0) * r;
      return (1 + s + s * s / 3) * std::exp(-s);
    }
    case Kernel::periodic: {
      const double wave = std::sin(std::numbers::pi * distance / period) / length;
      return std::exp(-2 * wave * wave);
    }
  }
  return 0;
}

}  // namespace

double GaussianProcess::covariance(double x1, double x2) const {
  const double distance = std::abs(x1 - x2), variance = scale * scale;
  const double first = correlation(kernel, distance, length, period);
  if (second_share == 0) return variance * first;
  return variance * ((1 - second_share) * first + second_share * correlation(kernel, distance, second_length, period));
}

// Row by row: each needs only dot products of rows above it.
std::vector<double> GaussianProcess::factor(std::span<const double> x) const {
  const std::size_t n = x.size();
  std::vector<double> lower(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &lower[i * n];
    for (std::size_t j = 0; j < i; ++j) {
      const double* above = &lower[j * n];
      row[j] = (covariance(x[i], x[j]) - dot(row, above, j)) / above[j];
    }
    const double rest = scale * scale + noise_variance - dot(row, row, i);
    if (!(rest > 0)) throw Error("the covariance of a Gaussian process is not positive definite: it needs some noise");
    row[i] = std::sqrt(rest);
  }
  return lower;
}

// With L L^T the covariance at x, L z = y and L a_i = k(x, asked_i): mean a_i z, covariance k_ij - a_i a_j.
Posterior GaussianProcess::posterior(std::span<const double> x, std::span<const double> y,
                                     std::span<const double> asked, bool jointly) const {
  const std::size_t n = x.size(), m = asked.size();
  const std::vector<double> lower = factor(x);
  // Rows of (L^-1 right)^T, one right side at a time.
  const auto solve = [&](double* row) {
    for (std::size_t j = 0; j < n; ++j) row[j] = (row[j] - dot(row, &lower[j * n], j)) / lower[j * n + j];
  };
  std::vector<double> z(y.begin(), y.end()), rows(m * n);
  solve(z.data());
  Posterior known{std::vector<double>(m), std::vector<double>(m), std::vector<double>(jointly ? m * m : 0)};
  for (std::size_t i = 0; i < m; ++i) {
    double* row = &rows[i * n];
    for (std::size_t j = 0; j < n; ++j) row[j] = covariance(asked[i], x[j]);
    solve(row);
    known.mean[i] = dot(row, z.data(), n);
    // Rounding may not make it less than the noise alone.
    known.variance[i] = std::max(0.0, scale * scale - dot(row, row, n)) + noise_variance;
    for (std::size_t j = 0; jointly && j < i; ++j) {
      known.covariance[i * m + j] = known.covariance[j * m + i] =
          covariance(asked[i], asked[j]) - dot(row, &rows[j * n], n);
    }
    if (jointly) known.covariance[i * m + i] = known.variance[i];
  }
  return known;
}

// With L z = y and the context first, target i has mean L_ic z_c and variance K_ii - |L_ic|^2 given the context, and
// log density -z_i^2/2 - log L_ii - … given all before it as well.
Limits GaussianProcess::predictive_likelihood(std::span<const double> x, std::span<const double> y,
                                              std::size_t context) const {
  const std::size_t n = x.size();
  const std::vector<double> lower = factor(x);
  std::vector<double> z(n);
  Limits limits;
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = &lower[i * n];
    z[i] = (y[i] - dot(row, z.data(), i)) / row[i];
    if (i < context) continue;
    const double mean = dot(row, z.data(), context);
    const double deviation = std::sqrt(scale * scale + noise_variance - dot(row, row, context));
    limits.joint += log_normal_density(z[i], row[i]);
    limits.marginal += log_normal_density((y[i] - mean) / deviation, deviation);
  }
  const auto targets = static_cast<double>(n - context);
  return {limits.joint / targets, limits.marginal / targets};
}

std::vector<double> draw(std::span<const double> factor, std::size_t points, Random& random) {
  std::vector<double> normals(points), values(points);
  for (double& normal : normals) normal = random.normal();
  for (std::size_t i = 0; i < points; ++i) values[i] = dot(&factor[i * points], normals.data(), i + 1);
  return values;
}

}  // namespace cmanp::training
