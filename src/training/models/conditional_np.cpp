#include "training/models/conditional_np.hpp"

namespace cmanp::training {

PoolingShape pooling_shape(const ModelConfig& config, bool self_attention, std::int64_t latent) {
  return {config.dim_x + config.dim_y, config.dim_hid,       latent, self_attention,
          config.enc_pre_depth,        config.enc_post_depth};
}

torch::Tensor repeat_for_points(const torch::Tensor& encoding, std::int64_t points) {
  std::vector<std::int64_t> shape = encoding.sizes().vec();
  shape.insert(shape.end() - 1, points);
  return encoding.unsqueeze(-2).expand(shape);
}

TargetEncoder::TargetEncoder(torch::nn::Module& owner, const char* name, const ModelConfig& config, bool attentive) {
  if (attentive) {
    attention_ =
        owner.register_module(name, std::make_shared<CrossAttentionEncoder>(config.dim_x, config.dim_y, config.dim_hid,
                                                                            config.enc_v_depth, config.enc_qk_depth));
  } else {
    pooling_ = owner.register_module(name, std::make_shared<PoolingEncoder>(pooling_shape(config, false)));
  }
}

torch::Tensor TargetEncoder::operator()(const torch::Tensor& xc, const torch::Tensor& yc,
                                        const torch::Tensor& xt) const {
  return attention_ ? attention_->forward(xc, yc, xt) : repeat_for_points(pooling_->forward(xc, yc), xt.size(-2));
}

EncoderPair::EncoderPair(torch::nn::Module& owner, const ModelConfig& config, bool attentive)
    : enc1_(owner, "enc1", config, attentive),
      enc2_(owner.register_module("enc2", std::make_shared<PoolingEncoder>(pooling_shape(config, attentive)))) {}

torch::Tensor EncoderPair::operator()(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) const {
  return torch::cat({enc1_(xc, yc, xt), repeat_for_points(enc2_->forward(xc, yc), xt.size(-2))}, -1);
}

ConditionalNp::ConditionalNp(const std::string& name, const ModelConfig& model_config, bool attentive)
    : PointwiseModel(name, model_config), encode_(*this, config(), attentive) {
  dec_ = register_module("dec", std::make_shared<GaussianDecoder>(config().dim_x, config().dim_y, 2 * config().dim_hid,
                                                                  config().dim_hid, config().dec_depth));
}

Normal ConditionalNp::forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& x) {
  return dec_->forward(encode_(xc, yc, x), x);
}

// Over context and target points.
torch::Tensor ConditionalNp::compute_loss(const Batch& batch) {
  const torch::Tensor x = torch::cat({batch.xc, batch.xt}, 1), y = torch::cat({batch.yc, batch.yt}, 1);
  return -log_density(forward(batch.xc, batch.yc, x), y).mean();
}

Normal ConditionalNp::answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  return forward(xc, yc, xt);
}

torch::Tensor ConditionalNp::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                                  std::int64_t count, RandomSource& source) {
  const Normal normal = forward(xc, yc, xt);
  const auto sizes = normal.mean.sizes();
  return normal.mean + normal.std * source.normal({count, sizes[0], sizes[1], sizes[2]}, normal.mean);
}

}  // namespace cmanp::training
