// TNP-ND and LBANP-ND: a trunk and a head that gives all targets of a task one joint normal.
#pragma once

#include <memory>

#include "training/models/trunk.hpp"
#include "training/modules/covariance_head.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

// A joint normal as mean and deviation of each target, with its factor.
Prediction prediction_of(const MultivariateNormal& joint, std::int64_t dim_y);

// Draws [S, B, M, dim_y].
torch::Tensor draw_from(const MultivariateNormal& joint, std::int64_t dim_y, std::int64_t count, RandomSource& source);

class JointModel : public NeuralProcess {
 public:
  // `unused_predictor`: published weights of LBANP-ND and CMANP-AND have a diagonal head that nothing reads.
  JointModel(const std::string& name, const ModelConfig& config, const TrunkMaker& make, bool unused_predictor);

  MultivariateNormal forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode);
  Trunk& trunk() { return *trunk_; }
  const CovarianceHead& head() const { return *head_; }
  torch::Tensor embed(const torch::Tensor& x, const torch::Tensor& y) const override { return trunk_->embed(x, y); }
  bool scores_jointly() const override { return true; }

 protected:
  torch::Tensor compute_loss(const Batch& batch) override;
  torch::Tensor compute_log_likelihood(const Batch& batch) override;
  Prediction compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  Prediction compute_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;

 private:
  bool accepts_empty_context() const override { return trunk_->accepts_empty_context(); }

  std::unique_ptr<Trunk> trunk_;
  std::unique_ptr<CovarianceHead> head_;
};

}  // namespace cmanp::training
