// CNP and CANP: two encodings of the context, the first per target in CANP, to a normal at every point.
#pragma once

#include <memory>

#include "training/models/pointwise_model.hpp"
#include "training/modules/cross_attention_encoder.hpp"
#include "training/modules/gaussian_decoder.hpp"
#include "training/modules/pooling_encoder.hpp"

namespace cmanp::training {

PoolingShape pooling_shape(const ModelConfig& config, bool self_attention, std::int64_t latent = 0);

// One of the two encoders that say something about each target: pooled, and the same for all targets, or attentive.
class TargetEncoder {
 public:
  TargetEncoder(torch::nn::Module& owner, const char* name, const ModelConfig& config, bool attentive);

  // [..., N, ·] and [..., n, dim_x] to [..., n, dim_hid]
  torch::Tensor operator()(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) const;

 private:
  std::shared_ptr<PoolingEncoder> pooling_;
  std::shared_ptr<CrossAttentionEncoder> attention_;
};

// What CNP and BNP, CANP and BANP share.
class EncoderPair {
 public:
  EncoderPair(torch::nn::Module& owner, const ModelConfig& config, bool attentive);

  torch::Tensor operator()(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) const;

 private:
  TargetEncoder enc1_;
  std::shared_ptr<PoolingEncoder> enc2_;
};

// One encoding for all points: [..., hid] to [..., n, hid].
torch::Tensor repeat_for_points(const torch::Tensor& encoding, std::int64_t points);

class ConditionalNp : public PointwiseModel {
 public:
  ConditionalNp(const std::string& name, const ModelConfig& config, bool attentive);

 private:
  Normal forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& x);

  torch::Tensor compute_loss(const Batch& batch) override;
  Normal answer_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;

  EncoderPair encode_;
  std::shared_ptr<GaussianDecoder> dec_;
};

}  // namespace cmanp::training
