// The not-diagonal head: targets look at each other and answer with a joint normal.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "training/model_config.hpp"
#include "training/modules/densities.hpp"
#include "training/modules/mlp.hpp"
#include "training/modules/relative_cmab.hpp"
#include "training/modules/transformer.hpp"

namespace cmanp::training {

// Its parts are registered in the model itself, where the public implementation has them.
class CovarianceHead {
 public:
  CovarianceHead(torch::nn::Module& owner, const ModelConfig& config);

  // Encoded targets [B, M, d_model] at x [B, M, dim_x], which only counts in relative coordinates, to a normal over
  // M * dim_y. Throws Error where memory has no room for it.
  MultivariateNormal operator()(const torch::Tensor& targets, const torch::Tensor& x) const;

 private:
  torch::Tensor seen(const torch::Tensor& targets, const torch::Tensor& x) const;
  torch::Tensor bounded(const torch::Tensor& product) const;

  Covariance covariance_;
  bool bound_std_;
  double least_std_;
  std::int64_t rank_, dim_y_, axes_;                      // the last: of x, how many are places
  std::shared_ptr<Mlp> mean_net_, projector_, diag_net_;  // the last of low rank only
  std::shared_ptr<TransformerEncoder> std_encoder_;       // or
  std::shared_ptr<RelativeStack> relative_encoder_;
};

}  // namespace cmanp::training
