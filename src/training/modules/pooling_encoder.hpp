// A whole context as one vector: points are embedded, averaged, and the average embedded again.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "training/modules/bnp_attention.hpp"
#include "training/modules/densities.hpp"
#include "training/modules/mlp.hpp"

namespace cmanp::training {

struct PoolingShape {
  std::int64_t in;          // dim_x + dim_y
  std::int64_t hidden;      // dim_hid
  std::int64_t latent = 0;  // dim_lat, where it gives a distribution
  bool self_attention = false;
  std::int64_t pre_depth, post_depth;
};

class PoolingEncoder : public torch::nn::Module {
 public:
  explicit PoolingEncoder(const PoolingShape& shape);

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y);  // [..., N, ·] to [..., hidden]
  Normal latent(const torch::Tensor& x, const torch::Tensor& y);          // to [..., latent]

  // Whether to keep what was made of a context, for when it grows by a few points: they alone are embedded then. For as
  // long as weights stay as they are.
  void keep_points(bool on);

 private:
  torch::Tensor average(const torch::Tensor& points);         // embedded, [..., N, in] to [..., hidden]
  torch::Tensor average_stream(const torch::Tensor& points);  // the same
  std::int64_t seen_of(const torch::Tensor& points) const;    // how many of them the sum has already

  std::shared_ptr<Mlp> pre_, post_;
  std::shared_ptr<BnpAttention> attention_;  // may be null
  bool keeps_ = false;
  torch::Tensor seen_, sum_;  // the points of the last stream, and what their embeddings add up to
};

// Of every such encoder in the model.
void keep_points(torch::nn::Module& model, bool on);

}  // namespace cmanp::training
