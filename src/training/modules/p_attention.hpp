// Multi-head attention in the Perceiver's style: queries from one set of tokens, keys and values from another.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace cmanp::training {

struct KeysValues {
  torch::Tensor keys, values;  // [B, H, m, h]
};

class PAttention : public torch::nn::Module {
 public:
  // Heads share `inner` features; tokens may have widths of their own.
  PAttention(std::int64_t query_width, std::int64_t context_width, std::int64_t inner, std::int64_t heads);

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& context);

  // The same in parts, for attention whose context comes in pieces.
  torch::Tensor queries(const torch::Tensor& x);           // [B, H, n, h], scaled by 1/sqrt(h)
  KeysValues keys_values(const torch::Tensor& context);    // [B, m, context_width]
  torch::Tensor output(const torch::Tensor& head_values);  // [B, H, n, h] to [B, n, query_width]

  // What a fused form reads.
  std::int64_t heads() const { return heads_; }
  const torch::nn::Linear& to_q() const { return to_q_; }
  const torch::nn::Linear& to_kv() const { return to_kv_; }
  const torch::nn::Linear& to_out() const { return to_out_; }

 private:
  std::int64_t heads_;
  torch::nn::Linear to_q_{nullptr}, to_kv_{nullptr}, to_out_{nullptr};
};

}  // namespace cmanp::training
