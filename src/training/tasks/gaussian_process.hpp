// Gaussian processes of one input: kernels, draws, and the exact predictive likelihood. In double, for few points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "training/tasks/limits.hpp"
#include "training/tasks/random.hpp"

namespace cmanp::training {

enum class Kernel { rbf, matern, periodic };

// What observations say of further ones.
struct Posterior {
  std::vector<double> mean, variance;  // noise included
  std::vector<double> covariance;      // [n][n]; where asked for
};

// The kernel of a function, and the variance of the noise on every observation of it.
struct GaussianProcess {
  Kernel kernel = Kernel::rbf;
  double length = 1;
  double scale = 1;
  double period = 1;  // periodic only
  double noise_variance = 0;
  double second_share = 0;   // of the variance: that of a second function of the same kernel, added to the first,
  double second_length = 1;  // which has this length

  double covariance(double x1, double x2) const;  // without noise

  // The lower Cholesky factor of the covariance of noisy observations at `x`, [n][n]; above the diagonal is nothing of
  // use.
  std::vector<double> factor(std::span<const double> x) const;

  // Of observations at `asked`, given those at `x`. A place among both is observed anew.
  Posterior posterior(std::span<const double> x, std::span<const double> y, std::span<const double> asked,
                      bool jointly) const;

  // How well the first `context` observations predict the others, a number per target point.
  Limits predictive_likelihood(std::span<const double> x, std::span<const double> y, std::size_t context) const;
};

// factor * (standard normals)
std::vector<double> draw(std::span<const double> factor, std::size_t points, Random& random);

}  // namespace cmanp::training
