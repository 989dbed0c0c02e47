#include "training/modules/covariance_head.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "base/free_memory.hpp"

namespace cmanp::training {
namespace {

// A joint normal's matrix grows with the square of targets: what cannot be is refused before the machine swaps.
void check_room(const torch::Tensor& targets, std::int64_t dim_y) {
  constexpr double kCopies = 3;         // product, its triangle, and one on the way
  constexpr double kWorthAsking = 1e9;  // bytes
  const auto size = static_cast<double>(targets.size(1) * dim_y);
  const double bytes =
      kCopies * static_cast<double>(targets.size(0)) * size * size * static_cast<double>(targets.element_size());
  if (bytes < kWorthAsking) return;
  if (const double room = base::free_memory(); bytes > room) {
    throw Error(
        fmt::format("a joint normal of {} targets with {} channels is a matrix of {} x {}, for {} task(s): it "
                    "takes {:.1f} GB, and {:.1f} GB are free; ask for fewer targets, or take cmanpand, which "
                    "answers block by block",
                    targets.size(1), dim_y, size, size, targets.size(0), bytes / 1e9, room / 1e9));
  }
}

}  // namespace

CovarianceHead::CovarianceHead(torch::nn::Module& owner, const ModelConfig& config)
    : covariance_(config.cov_approx),
      bound_std_(config.bound_std),
      least_std_(config.least_std),
      rank_(config.prj_dim),
      dim_y_(config.dim_y),
      axes_(config.axes()) {
  const std::int64_t d = config.d_model, hidden = config.dim_feedforward, dy = config.dim_y;
  mean_net_ = owner.register_module("mean_net", std::make_shared<Mlp>(d, hidden, dy, 2));
  if (config.coordinates == Coordinates::relative) {
    const RelativeShape shape{
        {d, config.nhead, hidden, config.residual}, config.axes(), config.spacing, config.longest_length};
    relative_encoder_ = owner.register_module(
        "std_encoder", std::make_shared<RelativeStack>(shape, Attends::to_itself, config.num_std_layers));
  } else {
    std_encoder_ = owner.register_module(
        "std_encoder",
        std::make_shared<TransformerEncoder>(TransformerShape{d, config.nhead, hidden}, config.num_std_layers));
  }
  projector_ = owner.register_module("projector", std::make_shared<Mlp>(d, hidden, rank_ * dy, config.prj_depth));
  if (covariance_ == Covariance::lowrank) {
    diag_net_ = owner.register_module("diag_net", std::make_shared<Mlp>(d, hidden, dy, config.diag_depth));
  }
}

// Targets that have looked at each other, in relative coordinates from where the first of them lies.
torch::Tensor CovarianceHead::seen(const torch::Tensor& targets, const torch::Tensor& x) const {
  if (!relative_encoder_) return std_encoder_->forward(targets, targets.size(1));
  const torch::Tensor far = x.narrow(-1, 0, axes_).to(torch::kFloat64);
  return relative_encoder_->forward(targets, (far - far.narrow(1, 0, 1)).to(targets.options()));
}

MultivariateNormal CovarianceHead::operator()(const torch::Tensor& targets, const torch::Tensor& x) const {
  check_room(targets, dim_y_);
  const torch::Tensor mean = mean_net_->forward(targets).flatten(1);
  // One row of `rank` features for every target and channel.
  const torch::Tensor rows = projector_->forward(seen(targets, x)).reshape({targets.size(0), mean.size(1), rank_});
  const torch::Tensor product = torch::matmul(rows, rows.transpose(1, 2));
  if (covariance_ == Covariance::lowrank) {
    const torch::Tensor diagonal = diag_net_->forward(targets).flatten(1).exp();
    return {mean, torch::linalg_cholesky(product + torch::diag_embed(diagonal))};
  }
  return {mean, bound_std_ ? bounded(product) : product.tril()};
}

// The diagonal is kept above the least.
torch::Tensor CovarianceHead::bounded(const torch::Tensor& product) const {
  const torch::Tensor diagonal = least_std_ + (1 - least_std_) * torch::tanh(product.diagonal(0, 1, 2));
  return product.tril(-1) + torch::diag_embed(diagonal);
}

}  // namespace cmanp::training
