// TNP-A: autoregressive. Targets are predicted in an order, each knowing those before it.
#pragma once

#include "training/models/tnp_trunk.hpp"
#include "training/modules/densities.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

class TnpA : public NeuralProcess {
 public:
  explicit TnpA(const ModelConfig& config);

  bool scores_jointly() const override { return true; }

 private:
  // Predicts xt[i] knowing the context and the targets (xt, known)[j], j < i.
  Normal forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, const torch::Tensor& known);
  // Predicts the last of xt, which is one longer than `known`.
  Normal forward_next(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                      const torch::Tensor& known);

  // Paths sampled one target after the other, each in an order of its own, all put back in the given order.
  struct Paths {
    Normal normal;    // [S, B, M, dy], of each target given those before it on its path
    torch::Tensor y;  // [S, B, M, dy]
  };
  Paths sample_paths(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source);

  torch::Tensor compute_loss(const Batch& batch) override;
  torch::Tensor compute_log_likelihood(const Batch& batch) override;
  Prediction compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  Prediction compute_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;

  TnpTrunk trunk_;
  std::shared_ptr<Mlp> predictor_;
};

}  // namespace cmanp::training
