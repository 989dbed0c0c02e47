// Bayesian optimisation in one dimension: looks for the least value of a function by observing it at one place after
// the other. Functions are draws of Gaussian processes on a grid over [-2, 2]; a place is a point of the grid.
#pragma once

#include <cmanp/context.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "training/tasks/gaussian_process.hpp"

namespace cmanp::training {

enum class Acquisition {
  expected_improvement,
  bound  // the least mean - exploration * deviation
};

struct OptimiseSettings {
  Kernel kernel = Kernel::rbf;
  Acquisition acquisition = Acquisition::expected_improvement;
  double exploration = 1;  // of bound
  std::size_t functions = 50;
  std::size_t grid = 200;
  std::size_t rounds = 50;
  std::uint64_t seed = 0;
};

// How far the least value seen is above the least of the function, after each round: mean and standard error over
// functions.
struct OptimiseResult {
  std::string method;
  std::vector<double> regret, standard_error;
  double seconds = 0;  // of a round, the mean
};

// By a model (CMANP, by constant-cost updates), by a Gaussian process with fitted length and scale, and by any places.
// All begin with the same place. `done` is told how many functions are through.
std::vector<OptimiseResult> optimise(const Model& model, const OptimiseSettings& settings,
                                     const std::function<void(std::size_t)>& done);

// How much one may hope for below `best` at a place, of a normal.
double expected_improvement(double mean, double deviation, double best);

}  // namespace cmanp::training
