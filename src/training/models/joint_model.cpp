#include "training/models/joint_model.hpp"

#include <algorithm>

#include "training/models/diagonal_model.hpp"

namespace cmanp::training {

Prediction prediction_of(const MultivariateNormal& joint, std::int64_t dim_y) {
  const std::vector<std::int64_t> shape{joint.mean.size(0), joint.mean.size(1) / dim_y, dim_y};
  return {joint.mean.reshape(shape), joint.scale_tril.square().sum(-1).sqrt().reshape(shape), joint.scale_tril};
}

torch::Tensor draw_from(const MultivariateNormal& joint, std::int64_t dim_y, std::int64_t count, RandomSource& source) {
  const std::int64_t tasks = joint.mean.size(0), size = joint.mean.size(1);
  const torch::Tensor noise = source.normal({count, tasks, size, 1}, joint.mean);
  const torch::Tensor drawn = joint.mean + torch::matmul(joint.scale_tril, noise).squeeze(-1);
  return drawn.reshape({count, tasks, size / dim_y, dim_y});
}

JointModel::JointModel(const std::string& name, const ModelConfig& model_config, const TrunkMaker& make,
                       bool unused_predictor)
    : NeuralProcess(name, model_config), trunk_(make(*this, config())) {
  if (unused_predictor) register_predictor(*this, config());
  head_ = std::make_unique<CovarianceHead>(*this, config());
}

MultivariateNormal JointModel::forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                                       Mode mode) {
  return (*head_)(trunk_->encode(xc, yc, xt, mode), xt);
}

// As published: summed over targets, so that batches with more of them weigh more. All are one joint normal, or blocks
// of one size, drawn anew each time: a head that has seen large sets only answers badly for small ones.
torch::Tensor JointModel::compute_loss(const Batch& batch) {
  trunk_->start_step(random());
  const torch::Tensor encoded = trunk_->encode(batch.xc, batch.yc, batch.xt, Mode::training);
  const std::int64_t targets = encoded.size(1), most = config().train_block_size;
  const std::int64_t block =
      most == 0 ? targets : std::min(targets, 1 + random().permutation(most)[0].item<std::int64_t>());
  const std::int64_t whole = targets / block * block;  // targets in full blocks
  const Truth truth = batch.truth.defined() ? batch.truth.of_targets(targets) : Truth{};
  const auto density = [&](std::int64_t first, std::int64_t count, std::int64_t size) {
    const auto blocks = [&](const torch::Tensor& t) {
      return t.narrow(1, first, count).reshape({-1, size, t.size(-1)});
    };
    const MultivariateNormal answers = (*head_)(blocks(encoded), blocks(batch.xt));
    if (!truth.defined()) return log_density(answers, blocks(batch.yt).flatten(1)).sum();
    return expected_log_density(answers, truth.in_blocks(first, count, size)).sum();
  };
  torch::Tensor sum = density(0, whole, block);
  if (whole < targets) sum = sum + density(whole, targets - whole, targets - whole);
  return -sum / static_cast<double>(batch.xt.size(0));
}

torch::Tensor JointModel::compute_log_likelihood(const Batch& batch) {
  const MultivariateNormal joint = forward(batch.xc, batch.yc, batch.xt, Mode::evaluation);
  return log_density(joint, batch.yt.flatten(1)).mean() / static_cast<double>(batch.xt.size(1));
}

Prediction JointModel::compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  return prediction_of(forward(xc, yc, xt, Mode::evaluation), config().dim_y);
}

// Trunks encode every target by itself; the head then gets each as a task of its own.
Prediction JointModel::compute_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  const torch::Tensor encoded = trunk_->encode(xc, yc, xt, Mode::evaluation);
  const Prediction alone =
      prediction_of((*head_)(encoded.flatten(0, 1).unsqueeze(1), xt.flatten(0, 1).unsqueeze(1)), config().dim_y);
  const std::vector<std::int64_t> shape{xt.size(0), xt.size(1), config().dim_y};
  return {alone.mean.reshape(shape), alone.std.reshape(shape), {}};
}

torch::Tensor JointModel::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                               std::int64_t count, RandomSource& source) {
  return draw_from(forward(xc, yc, xt, Mode::evaluation), config().dim_y, count, source);
}

}  // namespace cmanp::training
