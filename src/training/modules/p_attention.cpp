#include "training/modules/p_attention.hpp"

#include <cmath>

#include "training/attention/heads.hpp"
#include "training/modules/attend.hpp"

namespace cmanp::training {

using torch::nn::Linear;
using torch::nn::LinearOptions;

PAttention::PAttention(std::int64_t query_width, std::int64_t context_width, std::int64_t inner, std::int64_t heads)
    : heads_(heads) {
  to_q_ = register_module("to_q", Linear(LinearOptions(query_width, inner).bias(false)));
  to_kv_ = register_module("to_kv", Linear(LinearOptions(context_width, 2 * inner).bias(false)));
  to_out_ = register_module("to_out", Linear(LinearOptions(inner, query_width)));
}

torch::Tensor PAttention::queries(const torch::Tensor& x) {
  const torch::Tensor heads = split_heads(to_q_(x), heads_);
  return heads / std::sqrt(static_cast<double>(heads.size(-1)));
}

KeysValues PAttention::keys_values(const torch::Tensor& context) {
  const auto both = to_kv_(context).chunk(2, -1);
  return {split_heads(both[0], heads_), split_heads(both[1], heads_)};
}

torch::Tensor PAttention::output(const torch::Tensor& head_values) { return to_out_(join_heads(head_values)); }

torch::Tensor PAttention::forward(const torch::Tensor& x, const torch::Tensor& context) {
  const KeysValues from = keys_values(context);
  return to_out_(attend(queries(x), from.keys, from.values));
}

}  // namespace cmanp::training
