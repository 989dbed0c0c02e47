#include "training/models/bootstrap_np.hpp"

namespace cmanp::training {
namespace {

// Picks points of [K, B, N, ·] by index [K, B, N].
torch::Tensor pick(const torch::Tensor& points, const torch::Tensor& index) {
  return points.gather(2, index.to(points.device()).unsqueeze(-1).expand_as(points));
}

}  // namespace

BootstrapNp::BootstrapNp(const std::string& name, const ModelConfig& model_config, bool attentive)
    : PointwiseModel(name, model_config), encode_(*this, config(), attentive) {
  const std::int64_t hidden = config().dim_hid;
  dec_ = register_module("dec", std::make_shared<GaussianDecoder>(config().dim_x, config().dim_y, 2 * hidden, hidden,
                                                                  config().dec_depth, 2 * hidden));
}

torch::Tensor BootstrapNp::bootstrap(const torch::Tensor& xc, const torch::Tensor& yc, std::int64_t count,
                                     RandomSource& source) {
  const torch::NoGradGuard no_grad;
  const std::int64_t tasks = xc.size(0), points = xc.size(1);
  const torch::Tensor x = xc.expand({count, -1, -1, -1}), y = yc.expand({count, -1, -1, -1});
  const torch::Tensor index = source.resample(count, tasks, points);
  const Normal fitted = dec_->forward(encode_(pick(x, index), pick(y, index), x), x);
  torch::Tensor residuals = pick((y - fitted.mean) / fitted.std, source.resample(count, tasks, points));
  residuals = residuals - residuals.mean(2, /*keepdim=*/true);
  return fitted.mean + fitted.std * residuals;
}

Normal BootstrapNp::forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& x,
                            const torch::Tensor& bootstraps) {
  const auto repeat = [&](const torch::Tensor& t) { return t.expand({bootstraps.size(0), -1, -1, -1}); };
  return dec_->forward(encode_(xc, yc, x), x, encode_(repeat(xc), bootstraps, repeat(x)));
}

torch::Tensor BootstrapNp::loss_given(const Batch& batch, const torch::Tensor& bootstraps) {
  const torch::Tensor x = torch::cat({batch.xc, batch.xt}, 1), y = torch::cat({batch.yc, batch.yt}, 1);
  const torch::Tensor base = log_density(dec_->forward(encode_(batch.xc, batch.yc, x), x), y);
  return -base.mean() - log_mean_exp(log_density(forward(batch.xc, batch.yc, x, bootstraps), y)).mean();
}

torch::Tensor BootstrapNp::compute_loss(const Batch& batch) {
  return loss_given(batch, bootstrap(batch.xc, batch.yc, config().train_num_samples, random()));
}

Normal BootstrapNp::answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  return forward(xc, yc, xt, bootstrap(xc, yc, config().eval_num_samples, random()));
}

torch::Tensor BootstrapNp::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                                std::int64_t count, RandomSource& source) {
  const Normal normal = forward(xc, yc, xt, bootstrap(xc, yc, count, source));
  return normal.mean + normal.std * source.normal(normal.mean.sizes(), normal.mean);
}

}  // namespace cmanp::training
