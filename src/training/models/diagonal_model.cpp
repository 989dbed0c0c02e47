#include "training/models/diagonal_model.hpp"

namespace cmanp::training {

Normal normal_from(const torch::Tensor& raw, const ModelConfig& config) {
  const auto halves = raw.chunk(2, -1);
  const double least = config.least_std;
  return {halves[0], config.bound_std ? least + (1 - least) * torch::softplus(halves[1]) : halves[1].exp()};
}

std::shared_ptr<Mlp> register_predictor(torch::nn::Module& owner, const ModelConfig& config) {
  return owner.register_module("predictor",
                               std::make_shared<Mlp>(config.d_model, config.dim_feedforward, 2 * config.dim_y, 2));
}

DiagonalModel::DiagonalModel(const std::string& name, const ModelConfig& model_config, const TrunkMaker& make)
    : PointwiseModel(name, model_config),
      trunk_(make(*this, config())),
      predictor_(register_predictor(*this, config())) {}

Normal DiagonalModel::forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, Mode mode) {
  return answer(trunk_->encode(xc, yc, xt, mode));
}

Normal DiagonalModel::answer(const torch::Tensor& encoded) const {
  return normal_from(predictor_->forward(encoded), config());
}

// Over targets; also over a context of which noise hides a part, where the trunk has answers there.
torch::Tensor DiagonalModel::compute_loss(const Batch& batch) {
  trunk_->start_step(random());
  const torch::Tensor& yc = batch.yc_without_noise;
  const torch::Tensor all = yc.defined() ? trunk_->encode_all(batch.xc, batch.yc, batch.xt) : torch::Tensor();
  if (all.defined()) return -log_density(answer(all), torch::cat({yc, batch.yt}, 1)).mean();
  const Normal answers = forward(batch.xc, batch.yc, batch.xt, Mode::training);
  if (batch.truth.defined()) return -expected_log_density(answers, batch.truth.of_targets(batch.xt.size(1))).mean();
  return -log_density(answers, batch.yt).mean();
}

Normal DiagonalModel::answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  return forward(xc, yc, xt, Mode::evaluation);
}

torch::Tensor DiagonalModel::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                                  std::int64_t count, RandomSource& source) {
  const Normal normal = forward(xc, yc, xt, Mode::evaluation);
  const auto sizes = normal.mean.sizes();
  return normal.mean + normal.std * source.normal({count, sizes[0], sizes[1], sizes[2]}, normal.mean);
}

}  // namespace cmanp::training
