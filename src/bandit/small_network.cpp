#include "bandit/small_network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cmanp::bandit {
namespace {

// out = max(0, weights in + biases)
std::vector<float> rectified(const float* layer, std::span<const float> in, std::size_t out) {
  std::vector<float> units(out);
  for (std::size_t o = 0; o < out; ++o) {
    const float* row = layer + o * in.size();
    units[o] = std::max(0.0F, std::inner_product(in.begin(), in.end(), row, layer[out * in.size() + o]));
  }
  return units;
}

// Adds to the gradient of a layer, and gives that of what came in.
std::vector<float> back(const float* layer, float* gradient, std::span<const float> in, std::span<const float> error) {
  std::vector<float> before(in.size());
  for (std::size_t o = 0; o < error.size(); ++o) {
    if (error[o] == 0) continue;
    for (std::size_t i = 0; i < in.size(); ++i) {
      gradient[o * in.size() + i] += error[o] * in[i];
      before[i] += error[o] * layer[o * in.size() + i];
    }
    gradient[error.size() * in.size() + o] += error[o];
  }
  return before;
}

void stop_where_zero(std::vector<float>& error, const std::vector<float>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] <= 0) error[i] = 0;
  }
}

}  // namespace

SmallNetwork::SmallNetwork(std::size_t inputs, std::size_t hidden, std::size_t outputs, NumpyRandom& random)
    : hidden_(hidden),
      outputs_(outputs),
      second_at_((inputs + 1) * hidden),
      output_at_(second_at_ + (hidden + 1) * hidden) {
  parameters_.resize(output_at_ + (hidden + 1) * outputs);
  gradient_.resize(parameters_.size());
  moment_.resize(parameters_.size());
  square_.resize(parameters_.size());
  const auto draw = [&](std::size_t at, std::size_t in, std::size_t out) {
    const double deviation = std::sqrt(2 / static_cast<double>(in));
    for (std::size_t i = 0; i < in * out; ++i) parameters_[at + i] = static_cast<float>(random.normal(0, deviation));
  };
  draw(0, inputs, hidden);
  draw(second_at_, hidden, hidden);
  draw(output_at_, hidden, outputs);
}

SmallNetwork::Units SmallNetwork::forward(std::span<const double> input) const {
  const std::vector<float> in(input.begin(), input.end());
  Units units;
  units.first = rectified(parameters_.data(), in, hidden_);
  units.second = rectified(&parameters_[second_at_], units.first, hidden_);
  return units;
}

std::vector<double> SmallNetwork::features(std::span<const double> input) const {
  const Units units = forward(input);
  return {units.second.begin(), units.second.end()};
}

void SmallNetwork::add_gradient(std::span<const double> input, std::size_t arm, double target) {
  const Units units = forward(input);
  const float* output = &parameters_[output_at_];
  const float answer = std::inner_product(units.second.begin(), units.second.end(), output + arm * hidden_,
                                          output[outputs_ * hidden_ + arm]);
  std::vector<float> error(outputs_);
  error[arm] = answer - static_cast<float>(target);
  error = back(output, &gradient_[output_at_], units.second, error);
  stop_where_zero(error, units.second);
  error = back(&parameters_[second_at_], &gradient_[second_at_], units.first, error);
  stop_where_zero(error, units.first);
  const std::vector<float> in(input.begin(), input.end());
  back(parameters_.data(), gradient_.data(), in, error);
}

void SmallNetwork::step(double rate, std::size_t examples) {
  constexpr float kFirst = 0.9F, kSecond = 0.999F, kSmall = 1e-8F;
  ++steps_;
  const auto t = static_cast<float>(steps_);
  const float by = 1 / static_cast<float>(examples);
  const auto scale = static_cast<float>(rate) / (1 - std::pow(kFirst, t));
  const float correction = 1 / (1 - std::pow(kSecond, t));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const float gradient = gradient_[i] * by;
    moment_[i] = kFirst * moment_[i] + (1 - kFirst) * gradient;
    square_[i] = kSecond * square_[i] + (1 - kSecond) * gradient * gradient;
    parameters_[i] -= scale * moment_[i] / (std::sqrt(square_[i] * correction) + kSmall);
    gradient_[i] = 0;
  }
}

}  // namespace cmanp::bandit
