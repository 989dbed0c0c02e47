// TNP: one transformer over context and target points, in which all attend to the context only.
#pragma once

#include <memory>

#include "training/models/trunk.hpp"
#include "training/modules/mlp.hpp"
#include "training/modules/transformer.hpp"

namespace cmanp::training {

class TnpTrunk : public Trunk {
 public:
  TnpTrunk(torch::nn::Module& owner, const ModelConfig& config);

  torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) override;
  torch::Tensor encode_all(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;

  torch::Tensor embed(const torch::Tensor& x, const torch::Tensor& y) const;  // tokens of known points
  torch::Tensor embed(const torch::Tensor& x) const;                          // of points to predict: y is 0
  TransformerEncoder& encoder() const { return *encoder_; }

 private:
  std::int64_t dim_y_;
  std::shared_ptr<Mlp> embedder_;
  std::shared_ptr<TransformerEncoder> encoder_;
};

}  // namespace cmanp::training
