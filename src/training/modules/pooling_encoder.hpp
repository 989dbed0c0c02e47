// A whole context as one vector: points are embedded, averaged, and the average embedded again.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>

#include "training/modules/bnp_attention.hpp"
#include "training/modules/densities.hpp"
#include "training/modules/growing_attention.hpp"
#include "training/modules/growing_context.hpp"
#include "training/modules/mlp.hpp"

namespace cmanp::training {

struct PoolingShape {
  std::int64_t in;          // dim_x + dim_y
  std::int64_t hidden;      // dim_hid
  std::int64_t latent = 0;  // dim_lat, where it gives a distribution
  bool self_attention = false;
  std::int64_t pre_depth, post_depth;
};

class PoolingEncoder : public torch::nn::Module, public GrowingContext {
 public:
  explicit PoolingEncoder(const PoolingShape& shape);

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y);  // [..., N, ·] to [..., hidden]
  Normal latent(const torch::Tensor& x, const torch::Tensor& y);          // to [..., latent]

 private:
  torch::Tensor embed(const torch::Tensor& points);            // each by itself
  torch::Tensor average(const torch::Tensor& points);          // [..., N, in] to [..., hidden]
  torch::Tensor average_growing(const torch::Tensor& points);  // the same

  std::shared_ptr<Mlp> pre_, post_;
  std::shared_ptr<BnpAttention> attention_;  // may be null
  torch::Tensor sum_;                        // of what the kept points are embedded as, where none attends to another
  GrowingAttention growing_;
};

}  // namespace cmanp::training
