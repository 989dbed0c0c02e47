// The loops of attention over every prefix, without libtorch: compiled by themselves they are optimised, as the files
// that share its precompiled headers are not.
#pragma once

#include <cstdint>

namespace cmanp::training::events {

struct PrefixSizes {
  std::int64_t tasks, heads, latents, tokens, dim;

  // Where token i of [B, H, L, N], of [B, H, N, h] and of [B, N, H, L] stands.
  std::int64_t score(std::int64_t b, std::int64_t h, std::int64_t l) const {
    return ((b * heads + h) * latents + l) * tokens;
  }
  std::int64_t value(std::int64_t b, std::int64_t h) const { return (b * heads + h) * tokens * dim; }
  std::int64_t prefix(std::int64_t b, std::int64_t i, std::int64_t h, std::int64_t l) const {
    return ((b * tokens + i) * heads + h) * latents + l;
  }
  template <class Call>
  void for_each_query(const Call& call) const {
    for (std::int64_t b = 0; b < tasks; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t l = 0; l < latents; ++l) call(b, h, l);
      }
    }
  }
};

// Of float and of double; shapes as prefix_attention.hpp has them.
template <typename T>
void prefix_forward(const PrefixSizes& n, const T* scores, const T* values, const T* ageing, const T* rates,
                    T* attended, T* normaliser, T* shares);

// `d_values` and `d_rates` are added to.
template <typename T>
void prefix_backward(const PrefixSizes& n, const T* values, const T* ageing, const T* rates, const T* attended,
                     const T* shares, const T* d_attended, const T* d_normaliser, T* d_scores, T* d_values,
                     double* d_rates);

}  // namespace cmanp::training::events
