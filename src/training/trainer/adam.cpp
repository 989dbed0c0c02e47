#include "training/trainer/adam.hpp"

#include <cmath>

#include "training/fused/adam.hpp"

namespace cmanp::training {

Adam::Adam(const AdamSettings& settings, const torch::Tensor& values)
    : first_moment(torch::zeros_like(values)), second_moment(torch::zeros_like(values)), settings_(settings) {}

void Adam::step(torch::Tensor values, torch::Tensor gradients, double rate, std::int64_t step) {
  const torch::NoGradGuard no_grad;
  const auto& [beta1, beta2, epsilon, weight_decay, decoupled] = settings_;
  if (weight_decay != 0 && decoupled) values.mul_(1 - rate * weight_decay);
  if (weight_decay != 0 && !decoupled) gradients.add_(values, weight_decay);
  const double correction1 = 1 - std::pow(beta1, step), correction2 = 1 - std::pow(beta2, step);
  if (fused::adam_runs(values, gradients)) {
    fused::adam({beta1, beta2, epsilon, rate / correction1, correction2}, gradients, share_, values, first_moment,
                second_moment);
    return;
  }
  first_moment.mul_(beta1).add_(gradients, 1 - beta1);
  second_moment.mul_(beta2).addcmul_(gradients, gradients, 1 - beta2);
  const torch::Tensor denominator = second_moment.sqrt().div_(std::sqrt(correction2)).add_(epsilon);
  values.addcdiv_(share_.defined() ? first_moment * share_ : first_moment, denominator, -rate / correction1);
}

}  // namespace cmanp::training
