#include "runtime/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "base/finite.hpp"
#include "runtime/access.hpp"
#include "runtime/hash.hpp"
#include "runtime/tensor_names.hpp"

namespace cmanp::runtime {
namespace {

using kernels::AttentionLayer;
using kernels::Buffer;
using kernels::FeedForward;
using kernels::Heads;
using kernels::Linear;
using kernels::Norm;
using kernels::padded;

// Takes tensors out of a file by name and packs them.
class Packer {
 public:
  Packer(const Config& config, const files::TensorViews& tensors, const std::string& file)
      : config_(config), heads_{config.nhead, config.head_dim()}, tensors_(tensors), file_(file) {}

  Block block(const std::string& name) const {
    const std::size_t own = config_.layer_latent_dim, input = config_.latent_dim;
    return {context_attention(name),
            feed_forward(name + "layer_cross_ff", own),
            attention(name + "layer_latent_self_attn", own, own, false),
            feed_forward(name + "layer_latent_ff", own),
            attention(name + "cross_attn", input, own, true),
            feed_forward(name + "cross_ff", input),
            attention(name + "latent_self_attn", input, input, false),
            feed_forward(name + "latent_ff", input)};
  }

  DecoderLayer decoder_layer(const std::string& name) const {
    return {attention(name + "cross_attn", config_.d_model, config_.latent_dim, true),
            feed_forward(name + "cross_ff", config_.d_model)};
  }

  JointHead joint_head() const {
    JointHead head;
    head.mean = mlp("mean_net", 2);
    for (std::size_t i = 0; i < config_.num_std_layers; ++i) {
      head.layers.push_back(transformer_layer(fmt::format("std_encoder.layers.{}.", i)));
    }
    head.projector = mlp("projector", config_.prj_depth);
    if (config_.covariance == Covariance::lowrank) head.diagonal = mlp("diag_net", config_.diag_depth);
    return head;
  }

  Mlp mlp(const std::string& name, std::size_t depth) const {
    Mlp result;
    // A depth of one still means two layers, and odd places in the sequence are activations.
    for (std::size_t i = 0; i < std::max<std::size_t>(depth, 2); ++i) {
      result.layers.push_back(linear(fmt::format("{}.{}", name, 2 * i)));
    }
    return result;
  }

  Norm norm(const std::string& name) const {
    const std::vector<float> gamma = read(name + ".weight");
    return Norm::pack(gamma.data(), read(name + ".bias").data(), gamma.size());
  }

  // [rows][padded(width)]
  Buffer<float> rows(const std::string& name, std::size_t width) const {
    const std::vector<float> values = read(name);
    const std::size_t count = values.size() / width;
    Buffer<float> result(count * padded(width));
    for (std::size_t r = 0; r < count; ++r) {
      std::copy_n(values.data() + r * width, width, result.data() + r * padded(width));
    }
    return result;
  }

 private:
  std::vector<float> read(const std::string& name) const { return read_values(tensors_, file_, name); }

  Linear linear(const std::string& name) const {
    const std::vector<float> bias = read(name + ".bias");
    const std::vector<float> weights = read(name + ".weight");
    return Linear::pack(weights.data(), bias.data(), bias.size(), weights.size() / bias.size());
  }

  AttentionLayer attention(const std::string& name, std::size_t width, std::size_t context_width, bool cross) const {
    const std::vector<float> query = read(name + ".fn.to_q.weight");
    const std::vector<float> key_value = read(name + ".fn.to_kv.weight");
    const std::vector<float> output = read(name + ".fn.to_out.weight");
    const std::vector<float> output_bias = read(name + ".fn.to_out.bias");
    AttentionLayer::Raw raw;
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
    return AttentionLayer::pack(raw, norm(name + ".norm"), heads_, width, context_width);
  }

  ContextAttention context_attention(const std::string& name) const {
    const std::size_t width = config_.layer_latent_dim, count = config_.num_latents_per_layer;
    ContextAttention result;
    result.layer = attention(name + "layer_cross_attn", width, config_.d_model, true);
    const Buffer<float> latents = rows(name + "latents", width);
    Buffer<float> normal(latents.size());
    result.queries = Buffer<float>(count * padded(heads_.inner()));
    kernels::layer_norm(result.layer.norm, latents.data(), padded(width), count, normal.data(), padded(width));
    kernels::linear(result.layer.query, normal.data(), padded(width), count, result.queries.data(),
                    padded(heads_.inner()));
    result.base = config_.residual == Residual::normalised ? normal : latents;
    result.layer.norm = Norm{};
    result.layer.query = Linear{};
    return result;
  }

  FeedForward feed_forward(const std::string& name, std::size_t width) const {
    return FeedForward::pack(norm(name + ".norm"), read(name + ".fn.net.0.weight").data(),
                             read(name + ".fn.net.0.bias").data(), read(name + ".fn.net.2.weight").data(),
                             read(name + ".fn.net.2.bias").data(), width, config_.dim_feedforward);
  }

  TransformerLayer transformer_layer(const std::string& name) const {
    const std::size_t d = config_.d_model;
    const std::vector<float> weights = read(name + "self_attn.in_proj_weight");
    const std::vector<float> bias = read(name + "self_attn.in_proj_bias");
    const std::vector<float> output = read(name + "self_attn.out_proj.weight");
    const std::vector<float> output_bias = read(name + "self_attn.out_proj.bias");
    AttentionLayer::Raw raw;
    raw.query = weights.data();
    raw.query_bias = bias.data();
    raw.key = weights.data() + d * d;
    raw.key_bias = bias.data() + d;
    raw.value = weights.data() + 2 * d * d;
    raw.value_bias = bias.data() + 2 * d;
    raw.output = output.data();
    raw.output_bias = output_bias.data();
    Mlp feed_forward;
    feed_forward.layers.push_back(linear(name + "linear1"));
    feed_forward.layers.push_back(linear(name + "linear2"));
    return {AttentionLayer::pack(raw, Norm{}, heads_, d, d), norm(name + "norm1"), std::move(feed_forward),
            norm(name + "norm2")};
  }

  const Config& config_;
  Heads heads_;
  const files::TensorViews& tensors_;
  const std::string& file_;
};

}  // namespace

std::size_t Block::bytes() const {
  return context.bytes() + own_feed_forward_1.bytes() + own_self.bytes() + own_feed_forward_2.bytes() + cross.bytes() +
         feed_forward_1.bytes() + self.bytes() + feed_forward_2.bytes();
}

std::size_t JointHead::bytes() const {
  std::size_t sum = mean.bytes() + projector.bytes() + (diagonal ? diagonal->bytes() : 0);
  for (const auto& layer : layers) sum += layer.bytes();
  return sum;
}

std::size_t Weights::bytes() const {
  std::size_t sum = embedder.bytes() + query_embedder.bytes() + latents.bytes() + norm.bytes() + plain_token.bytes() +
                    plain_own.bytes() + plain_latent.bytes();
  for (const auto& block : blocks) sum += block.bytes();
  for (const auto& layer : decoder) sum += layer.bytes();
  if (predictor) sum += predictor->bytes();
  if (joint) sum += joint->bytes();
  return sum;
}

// A file's bytes need not be aligned for floats: copied, not cast.
std::vector<float> read_values(const files::TensorViews& tensors, const std::string& name, const std::string& tensor) {
  const files::TensorView& view = tensors.find(tensor)->second;
  std::vector<float> values(view.elements());
  std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  if (const std::size_t i = base::first_not_finite(values); i < values.size()) {
    throw Error(fmt::format("{}: tensor \"{}\" holds {} at element {}", name, tensor, values[i], i));
  }
  return values;
}

Mlp build_mlp(const files::TensorViews& tensors, const std::string& name, const std::string& tensor,
              std::size_t depth) {
  return Packer(Config{}, tensors, name).mlp(tensor, depth);
}

kernels::Norm build_norm(const files::TensorViews& tensors, const std::string& name, const std::string& tensor) {
  return Packer(Config{}, tensors, name).norm(tensor);
}

Weights build_encoder(const Config& config, const files::TensorViews& tensors, const std::string& name) {
  const Packer packer(config, tensors, name);
  Weights weights;
  weights.config = config;
  weights.latents = packer.rows("latents", config.latent_dim);
  for (std::size_t i = 0; i < config.num_layers; ++i) {
    weights.blocks.push_back(packer.block(fmt::format("encoder.layers.{}.", i)));
  }
  weights.plain_token = Norm::plain(config.d_model);
  weights.plain_own = Norm::plain(config.layer_latent_dim);
  weights.plain_latent = Norm::plain(config.latent_dim);
  return weights;
}

Weights build_weights(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors,
                      const std::string& name) {
  const Packer packer(config, tensors, name);
  Weights weights = build_encoder(config, tensors, name);
  weights.normalisation = normalisation;
  weights.hash = hash_model(config, normalisation, tensors);
  for (const auto& [tensor_name, tensor] : tensors) weights.parameters += tensor.elements();
  weights.embedder = packer.mlp("embedder", config.emb_depth);
  weights.query_embedder = packer.mlp("query_embedder", config.emb_depth);
  for (std::size_t i = 0; i < config.num_layers; ++i) {
    weights.decoder.push_back(packer.decoder_layer(fmt::format("decoder.layers.{}.", i)));
  }
  weights.norm = packer.norm("norm");
  if (config.diagonal()) {
    weights.predictor = packer.mlp("predictor", 2);
  } else {
    weights.joint = packer.joint_head();
  }
  return weights;
}

Model make_model(const ModelData& data) {
  validate(data.config);
  files::TensorViews views;
  for (const auto& [name, tensor] : data.tensors) views[name] = files::view_of(tensor.values, tensor.shape);
  check_tensors(views, data.config, "model");
  return Access::model(std::make_shared<const Weights>(build_weights(data.config, data.normalisation, views, "model")));
}

}  // namespace cmanp::runtime
