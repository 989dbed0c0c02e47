#include "training/modules/bnp_attention.hpp"

#include <cmath>

#include "training/attention/heads.hpp"
#include "training/modules/attend.hpp"
#include "training/modules/linears.hpp"

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

torch::Tensor BnpAttention::queries(const torch::Tensor& q) { return linears(q, {fc_q_}); }

torch::Tensor BnpAttention::heads_of(const torch::Tensor& queries) {
  return split_heads(queries, kHeads) * (1 / std::sqrt(static_cast<double>(queries.size(-1))));
}

KeysValues BnpAttention::keys_values(const torch::Tensor& k, const torch::Tensor& v) {
  return {split_heads(linears(k, {fc_k_}), kHeads), split_heads(linears(v, {fc_v_}), kHeads)};
}

torch::Tensor BnpAttention::output(const torch::Tensor& queries, const torch::Tensor& attended) {
  const torch::Tensor out = ln1_(queries + attended);
  return ln2_(out + torch::relu(linears(out, {fc_out_})));
}

torch::Tensor BnpAttention::forward(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v) {
  const torch::Tensor projected = queries(q);
  const KeysValues from = keys_values(k, v);
  return output(projected, attend(heads_of(projected), from.keys, from.values));
}

}  // namespace cmanp::training
