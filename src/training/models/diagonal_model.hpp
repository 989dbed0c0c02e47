// TNP-D, EQTNP, LBANP, CMANP: a trunk and a head that gives each target a normal of its own.
#pragma once

#include <memory>

#include "training/models/pointwise_model.hpp"
#include "training/models/trunk.hpp"
#include "training/modules/mlp.hpp"

namespace cmanp::training {

// Mean and deviation from a head's raw answer: exp, or kept above the least where the model bounds it.
Normal normal_from(const torch::Tensor& raw, const ModelConfig& config);

// The head of all diagonal transformers; also present, without use, in LBANP-ND and CMANP-AND.
std::shared_ptr<Mlp> register_predictor(torch::nn::Module& owner, const ModelConfig& config);

class DiagonalModel : public PointwiseModel {
 public:
  DiagonalModel(const std::string& name, const ModelConfig& config, const TrunkMaker& make);

  Normal forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode);
  Trunk& trunk() { return *trunk_; }
  torch::Tensor embed(const torch::Tensor& x, const torch::Tensor& y) const override { return trunk_->embed(x, y); }

 private:
  torch::Tensor compute_loss(const Batch& batch) override;
  Normal answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;
  bool accepts_empty_context() const override { return trunk_->accepts_empty_context(); }
  Normal answer(const torch::Tensor& encoded) const;

  std::unique_ptr<Trunk> trunk_;
  std::shared_ptr<Mlp> predictor_;
};

}  // namespace cmanp::training
