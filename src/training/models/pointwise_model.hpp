// What all models share that answer every target by itself, with a normal or a mixture of them.
#pragma once

#include "training/modules/densities.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

class PointwiseModel : public NeuralProcess {
 protected:
  using NeuralProcess::NeuralProcess;

 private:
  // At every target, for evaluation: [B, n, dy]; [K, B, n, dy] is a mixture of K samples.
  virtual Normal answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) = 0;

  torch::Tensor compute_log_likelihood(const Batch& batch) final;
  Prediction compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) final;
  Judged compute_judged(const Batch& batch) final;
};

}  // namespace cmanp::training
