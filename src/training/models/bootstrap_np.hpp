// BNP and BANP: uncertainty about the function from bootstraps of the context.
#pragma once

#include <memory>

#include "training/models/conditional_np.hpp"

namespace cmanp::training {

class BootstrapNp : public PointwiseModel {
 public:
  BootstrapNp(const std::string& name, const ModelConfig& config, bool attentive);

  // The context's y with resampled residuals, [K, B, N, dy], made without gradient: a model fitted to a bootstrap of
  // the points predicts them, and what it misses is dealt out anew.
  torch::Tensor bootstrap(const torch::Tensor& xc, const torch::Tensor& yc, std::int64_t count, RandomSource& source);

  // The loss for given bootstraps.
  torch::Tensor loss_given(const Batch& batch, const torch::Tensor& bootstraps);

 private:
  Normal forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& x,
                 const torch::Tensor& bootstraps);  // [K, B, n, dy]

  torch::Tensor compute_loss(const Batch& batch) override;
  Normal answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;

  EncoderPair encode_;
  std::shared_ptr<GaussianDecoder> dec_;
};

}  // namespace cmanp::training
