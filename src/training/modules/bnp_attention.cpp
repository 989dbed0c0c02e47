#include "training/modules/bnp_attention.hpp"

#include <cmath>

#include "training/modules/heads.hpp"

namespace cmanp::training {

using torch::nn::Linear;
using torch::nn::LinearOptions;

namespace {
constexpr std::int64_t kHeads = 8;
}

BnpAttention::BnpAttention(std::int64_t width) {
  fc_q_ = register_module("fc_q", Linear(LinearOptions(width, width).bias(false)));
  fc_k_ = register_module("fc_k", Linear(LinearOptions(width, width).bias(false)));
  fc_v_ = register_module("fc_v", Linear(LinearOptions(width, width).bias(false)));
  fc_out_ = register_module("fc_out", Linear(width, width));
  ln1_ = register_module("ln1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  ln2_ = register_module("ln2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
}

torch::Tensor BnpAttention::forward(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v) {
  const torch::Tensor queries = fc_q_(q);
  const double scale = 1 / std::sqrt(static_cast<double>(queries.size(-1)));
  const torch::Tensor scores =
      torch::matmul(split_heads(queries, kHeads) * scale, split_heads(fc_k_(k), kHeads).transpose(-2, -1));
  const torch::Tensor attended = torch::matmul(torch::softmax(scores, -1), split_heads(fc_v_(v), kHeads));
  const torch::Tensor out = ln1_(queries + join_heads(attended));
  return ln2_(out + torch::relu(fc_out_(out)));
}

}  // namespace cmanp::training
