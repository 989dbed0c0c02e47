// NP and ANP: a latent variable stands for what the context leaves open; every sample of it is one function.
#pragma once

#include <memory>

#include "training/models/conditional_np.hpp"

namespace cmanp::training {

class LatentNp : public PointwiseModel {
 public:
  LatentNp(const std::string& name, const ModelConfig& config, bool attentive);

 private:
  torch::Tensor sample(const Normal& normal, std::int64_t count, RandomSource& source);  // [K, B, dim_lat]
  Normal decode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& x,
                const torch::Tensor& latents);  // [K, B, n, dy]

  torch::Tensor compute_loss(const Batch& batch) override;
  Normal answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;

  TargetEncoder denc_;
  std::shared_ptr<PoolingEncoder> lenc_;
  std::shared_ptr<GaussianDecoder> dec_;
};

}  // namespace cmanp::training
