// A Gaussian process whose length and scale are those under which the observations are likeliest, of a grid of both:
// what one would use where the kernel is known. It costs the cube of the number of observations.
#pragma once

#include <span>
#include <vector>

#include "training/tasks/gaussian_process.hpp"

namespace cmanp::training {

class FittedProcess {
 public:
  FittedProcess(Kernel kernel, double noise_variance) : process_{kernel, 1, 1, 1, noise_variance} {}

  void observe(double x, double y);  // and fits anew

  // Mean and deviation of the function at each place, without the noise of an observation.
  void predict(std::span<const double> places, std::span<double> mean, std::span<double> deviation) const;

  const GaussianProcess& process() const { return process_; }

 private:
  GaussianProcess process_;
  std::vector<double> x_, y_;
  std::vector<double> factor_, whitened_;  // L, and L^-1 y
};

}  // namespace cmanp::training
