#include "training/models/latent_np.hpp"

namespace cmanp::training {

LatentNp::LatentNp(const std::string& name, const ModelConfig& model_config, bool attentive)
    : PointwiseModel(name, model_config), denc_(*this, "denc", config(), attentive) {
  lenc_ =
      register_module("lenc", std::make_shared<PoolingEncoder>(pooling_shape(config(), attentive, config().dim_lat)));
  dec_ = register_module(
      "dec", std::make_shared<GaussianDecoder>(config().dim_x, config().dim_y, config().dim_hid + config().dim_lat,
                                               config().dim_hid, config().dec_depth));
}

torch::Tensor LatentNp::sample(const Normal& normal, std::int64_t count, RandomSource& source) {
  const torch::Tensor noise = source.normal({count, normal.mean.size(0), normal.mean.size(1)}, normal.mean);
  return normal.mean + normal.std * noise;
}

Normal LatentNp::decode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& x,
                        const torch::Tensor& latents) {
  const std::int64_t samples = latents.size(0), points = x.size(1);
  const torch::Tensor encoded =
      torch::cat({denc_(xc, yc, x).expand({samples, -1, -1, -1}), repeat_for_points(latents, points)}, -1);
  return dec_->forward(encoded, x.expand({samples, -1, -1, -1}));
}

torch::Tensor LatentNp::compute_loss(const Batch& batch) {
  const torch::Tensor x = torch::cat({batch.xc, batch.xt}, 1), y = torch::cat({batch.yc, batch.yt}, 1);
  const Normal prior = lenc_->latent(batch.xc, batch.yc), posterior = lenc_->latent(x, y);
  const torch::Tensor latents = sample(posterior, config().train_num_samples, random());
  const torch::Tensor of_points = log_density(decode(batch.xc, batch.yc, x, latents), y);  // [K, B, n]
  const auto points = static_cast<double>(x.size(1));
  if (config().train_num_samples == 1) {
    return -of_points.mean() + divergence(posterior, prior).mean() / points;
  }
  // Importance weights of the samples, [K, B].
  const torch::Tensor weights = of_points.sum(-1) + log_density(prior, latents) - log_density(posterior, latents);
  return -log_mean_exp(weights).mean() / points;
}

Normal LatentNp::answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  return decode(xc, yc, xt, sample(lenc_->latent(xc, yc), config().eval_num_samples, random()));
}

torch::Tensor LatentNp::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                             std::int64_t count, RandomSource& source) {
  const Normal normal = decode(xc, yc, xt, sample(lenc_->latent(xc, yc), count, source));
  return normal.mean + normal.std * source.normal(normal.mean.sizes(), normal.mean);
}

}  // namespace cmanp::training
