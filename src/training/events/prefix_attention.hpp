// Attention of fixed queries over every prefix of a sequence by one pass over it: what the first k tokens do to a query
// is known from what the first k - 1 did. Exact, as a new token enters an average with the weight that its softmax over
// the prefix would give it.
//
// Tokens may age: with rates r, a token weighs exp(-r * a) of what its score says, where a is how much has come since.
#pragma once

#include <torch/torch.h>

namespace cmanp::training::events {

struct PrefixAttention {
  torch::Tensor attended;    // [B, N, H, L, h]: of the prefix that ends with each token
  torch::Tensor normaliser;  // [B, N, H, L]: its log of the sum of exp(score), aged
};

// scores [B, H, L, N], values [B, H, N, h]; ageing [B, N, 2] (no gradient): how much each token ages those before it,
// in events and in time; rates [2, H, L], positive, or undefined for none. All of one type, float or double.
PrefixAttention prefix_attention(const torch::Tensor& scores, const torch::Tensor& values, const torch::Tensor& ageing,
                                 const torch::Tensor& rates);

}  // namespace cmanp::training::events
