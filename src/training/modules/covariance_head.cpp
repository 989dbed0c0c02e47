#include "training/modules/covariance_head.hpp"

namespace cmanp::training {

CovarianceHead::CovarianceHead(torch::nn::Module& owner, const ModelConfig& config)
    : covariance_(config.cov_approx), bound_std_(config.bound_std), rank_(config.prj_dim) {
  const std::int64_t d = config.d_model, hidden = config.dim_feedforward, dy = config.dim_y;
  mean_net_ = owner.register_module("mean_net", std::make_shared<Mlp>(d, hidden, dy, 2));
  std_encoder_ = owner.register_module(
      "std_encoder",
      std::make_shared<TransformerEncoder>(TransformerShape{d, config.nhead, hidden}, config.num_std_layers));
  projector_ = owner.register_module("projector", std::make_shared<Mlp>(d, hidden, rank_ * dy, config.prj_depth));
  if (covariance_ == Covariance::lowrank) {
    diag_net_ = owner.register_module("diag_net", std::make_shared<Mlp>(d, hidden, dy, config.diag_depth));
  }
}

MultivariateNormal CovarianceHead::operator()(const torch::Tensor& targets) const {
  const torch::Tensor mean = mean_net_->forward(targets).flatten(1);
  const torch::Tensor seen = std_encoder_->forward(targets, targets.size(1));
  // One row of `rank` features for every target and channel.
  const torch::Tensor rows = projector_->forward(seen).reshape({targets.size(0), mean.size(1), rank_});
  const torch::Tensor product = torch::matmul(rows, rows.transpose(1, 2));
  if (covariance_ == Covariance::lowrank) {
    const torch::Tensor diagonal = diag_net_->forward(targets).flatten(1).exp();
    return {mean, torch::linalg_cholesky(product + torch::diag_embed(diagonal))};
  }
  return {mean, bound_std_ ? bounded(product) : product.tril()};
}

// The diagonal is kept above 0.05.
torch::Tensor CovarianceHead::bounded(const torch::Tensor& product) const {
  const torch::Tensor diagonal = 0.05 + 0.95 * torch::tanh(product.diagonal(0, 1, 2));
  return product.tril(-1) + torch::diag_embed(diagonal);
}

}  // namespace cmanp::training
