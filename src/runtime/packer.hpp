// Takes tensors out of a file by name and packs them for the kernels.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/weights.hpp"

namespace cmanp::runtime {

// What both coordinates' models are packed from. The tensors' shapes are checked before.
class Packer {
 public:
  Packer(const Config& config, const files::TensorViews& tensors, const std::string& file)
      : config_(config), heads_{config.nhead, config.head_dim()}, tensors_(tensors), file_(file) {}

  Mlp mlp(const std::string& name, std::size_t depth) const {
    Mlp result;
    // A depth of one still means two layers, and odd places in the sequence are activations.
    for (std::size_t i = 0; i < std::max<std::size_t>(depth, 2); ++i) {
      result.layers.push_back(linear(fmt::format("{}.{}", name, 2 * i)));
    }
    return result;
  }

  kernels::Norm norm(const std::string& name) const {
    const std::vector<float> gamma = read(name + ".weight");
    return kernels::Norm::pack(gamma.data(), read(name + ".bias").data(), gamma.size());
  }

  // [rows][padded(width)]
  kernels::Buffer<float> rows(const std::string& name, std::size_t width) const {
    const std::vector<float> values = read(name);
    const std::size_t count = values.size() / width;
    kernels::Buffer<float> result(count * kernels::padded(width));
    for (std::size_t r = 0; r < count; ++r) {
      std::copy_n(values.data() + r * width, width, result.data() + r * kernels::padded(width));
    }
    return result;
  }

 protected:
  std::vector<float> read(const std::string& name) const { return read_values(tensors_, file_, name); }

  kernels::Linear linear(const std::string& name) const {
    const std::vector<float> bias = read(name + ".bias");
    const std::vector<float> weights = read(name + ".weight");
    return kernels::Linear::pack(weights.data(), bias.data(), bias.size(), weights.size() / bias.size());
  }

  kernels::AttentionLayer attention(const std::string& name, std::size_t width, std::size_t context_width,
                                    bool cross) const {
    const std::vector<float> query = read(name + ".fn.to_q.weight");
    const std::vector<float> key_value = read(name + ".fn.to_kv.weight");
    const std::vector<float> output = read(name + ".fn.to_out.weight");
    const std::vector<float> output_bias = read(name + ".fn.to_out.bias");
    kernels::AttentionLayer::Raw raw;
    raw.query = query.data();
    raw.key = key_value.data();
    raw.value = key_value.data() + key_value.size() / 2;
    raw.output = output.data();
    raw.output_bias = output_bias.data();
    std::vector<float> gamma, beta;
    if (cross) {
      gamma = read(name + ".norm_context.weight");
      beta = read(name + ".norm_context.bias");
      raw.context_gamma = gamma.data();
      raw.context_beta = beta.data();
    }
    return kernels::AttentionLayer::pack(raw, norm(name + ".norm"), heads_, width, context_width);
  }

  kernels::FeedForward feed_forward(const std::string& name, std::size_t width) const {
    return kernels::FeedForward::pack(norm(name + ".norm"), read(name + ".fn.net.0.weight").data(),
                                      read(name + ".fn.net.0.bias").data(), read(name + ".fn.net.2.weight").data(),
                                      read(name + ".fn.net.2.bias").data(), width, config_.dim_feedforward);
  }

  const Config& config_;
  kernels::Heads heads_;

 private:
  const files::TensorViews& tensors_;
  const std::string& file_;
};

}  // namespace cmanp::runtime
