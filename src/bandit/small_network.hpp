// A small network, two hidden layers of rectified units and an output an arm, trained by Adam on the outputs of those
// arms that were played. Small enough to need no library.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bandit/numpy_random.hpp"

namespace cmanp::bandit {

class SmallNetwork {
 public:
  SmallNetwork(std::size_t inputs, std::size_t hidden, std::size_t outputs, NumpyRandom& random);

  std::size_t hidden() const { return hidden_; }

  // The units of the last hidden layer.
  std::vector<double> features(std::span<const double> input) const;

  // Adds the gradient of (output[arm] - target)^2 / 2 for one example.
  void add_gradient(std::span<const double> input, std::size_t arm, double target);

  // One step of Adam against the gradient added up since the last, divided by `examples`.
  void step(double rate, std::size_t examples);

 private:
  struct Units {
    std::vector<float> first, second;  // after rectification
  };
  Units forward(std::span<const double> input) const;

  std::size_t hidden_, outputs_;
  // All parameters in one row: for each layer its weights [out][in], then its biases.
  std::size_t second_at_, output_at_;
  std::vector<float> parameters_, gradient_, moment_, square_;
  std::size_t steps_ = 0;
};

}  // namespace cmanp::bandit
