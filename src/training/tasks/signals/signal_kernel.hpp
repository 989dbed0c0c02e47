// The kernels that signals are drawn from: ten simple ones, and sums of products of them.
#pragma once

#include <string>
#include <vector>

#include "training/tasks/random.hpp"
#include "training/tasks/signals/signal_prior.hpp"

namespace cmanp::training {

enum class Simple {
  rbf,
  matern12,
  matern32,
  matern52,
  rational_quadratic,
  periodic,
  locally_periodic,
  linear,
  random_walk,
  trend
};

// In the order of Simple: "rbf", …, "random-walk", "trend".
const std::vector<std::string>& simple_kernel_names();

// "all", or names with commas between. Throws Error on a name that there is not, and on none.
std::vector<Simple> parse_kernels(const std::string& list);

struct SimpleKernel {
  Simple kind = Simple::rbf;
  double length = 1;  // over which it varies; of the trend's slope: the variance
  double period = 1;  // of the periodic ones
  double shape = 1;   // rational quadratic: its exponent; periodic: the length within a period, the smaller the rougher
  double origin = 0;  // where linear, random walk and trend are 0: they grow from it both ways

  double covariance(double a, double b) const;
};

struct SignalKernel {
  struct Term {
    std::vector<SimpleKernel> factors;
    double variance = 1;

    double covariance(double a, double b) const;
  };
  std::vector<Term> terms;

  double covariance(double a, double b) const;
};

// A range of x.
struct Extent {
  double low = -2, high = 2;
  double width() const { return high - low; }
};

// What the variance of a signal within the range is expected to be, about its own mean there.
double variance_within(const SignalKernel::Term& term, const Extent& range);

double log_uniform(double low, double high, Random& random);

// One of these kernels with parameters as the prior has them, its lengths measured against the range.
SimpleKernel draw_simple(Simple kind, const SignalPrior& prior, const Extent& range, Random& random);

// A sum of products whose variance within the range is expected to be 1.
SignalKernel draw_kernel(const SignalPrior& prior, const std::vector<Simple>& kinds, const Extent& range,
                         Random& random);

}  // namespace cmanp::training
