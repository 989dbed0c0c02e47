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
#include "runtime/packer.hpp"
#include "runtime/tensor_names.hpp"

namespace cmanp::runtime {
namespace {

using kernels::AttentionLayer;
using kernels::Buffer;
using kernels::Linear;
using kernels::Norm;
using kernels::padded;

// Models in absolute coordinates: the published form.
class AbsolutePacker : public Packer {
 public:
  using Packer::Packer;

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

  std::vector<TransformerLayer> joint_layers() const {
    std::vector<TransformerLayer> layers;
    for (std::size_t i = 0; i < config_.num_std_layers; ++i) {
      layers.push_back(transformer_layer(fmt::format("std_encoder.layers.{}.", i)));
    }
    return layers;
  }

 private:
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
};

}  // namespace

std::size_t Block::bytes() const {
  return context.bytes() + own_feed_forward_1.bytes() + own_self.bytes() + own_feed_forward_2.bytes() + cross.bytes() +
         feed_forward_1.bytes() + self.bytes() + feed_forward_2.bytes();
}

std::size_t RelativeBlock::bytes() const {
  return context.bytes() + query.bytes() + base.bytes() + own_feed_forward_1.bytes() + own_self.bytes() +
         own_feed_forward_2.bytes() + cross.bytes() + feed_forward_1.bytes() + self.bytes() + feed_forward_2.bytes();
}

std::size_t RelativeWeights::bytes() const {
  std::size_t sum = latent.bytes() + target.bytes();
  for (const auto& block : blocks) sum += block.bytes();
  for (const auto& layer : decoder) sum += layer.bytes();
  return sum;
}

std::size_t JointHead::bytes() const {
  std::size_t sum = mean.bytes() + projector.bytes() + (diagonal ? diagonal->bytes() : 0);
  for (const auto& layer : layers) sum += layer.bytes();
  for (const auto& layer : relative_layers) sum += layer.bytes();
  return sum;
}

std::size_t Weights::bytes() const {
  std::size_t sum = embedder.bytes() + query_embedder.bytes() + latents.bytes() + norm.bytes() + plain_token.bytes() +
                    plain_own.bytes() + plain_latent.bytes();
  for (const auto& block : blocks) sum += block.bytes();
  for (const auto& layer : decoder) sum += layer.bytes();
  if (relative) sum += relative->bytes();
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
  const AbsolutePacker packer(config, tensors, name);
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

namespace {

// The published form: x is embedded, and every latent is a vector of its own.
Weights build_absolute(const Config& config, const files::TensorViews& tensors, const std::string& name) {
  const AbsolutePacker packer(config, tensors, name);
  Weights weights = build_encoder(config, tensors, name);
  weights.query_embedder = packer.mlp("query_embedder", config.emb_depth);
  for (std::size_t i = 0; i < config.num_layers; ++i) {
    weights.decoder.push_back(packer.decoder_layer(fmt::format("decoder.layers.{}.", i)));
  }
  if (!config.diagonal()) weights.joint.emplace().layers = packer.joint_layers();
  return weights;
}

}  // namespace

Weights build_weights(const Config& config, const Normalisation& normalisation, const files::TensorViews& tensors,
                      const std::string& name) {
  const Packer packer(config, tensors, name);
  Weights weights = config.relative() ? build_relative(config, tensors, name) : build_absolute(config, tensors, name);
  weights.normalisation = normalisation;
  weights.hash = hash_model(config, normalisation, tensors);
  for (const auto& [tensor_name, tensor] : tensors) weights.parameters += tensor.elements();
  weights.embedder = packer.mlp("embedder", config.emb_depth);
  weights.norm = packer.norm("norm");
  if (config.diagonal()) {
    weights.predictor = packer.mlp("predictor", 2);
    return weights;
  }
  weights.joint->mean = packer.mlp("mean_net", 2);
  weights.joint->projector = packer.mlp("projector", config.prj_depth);
  if (config.covariance == Covariance::lowrank) weights.joint->diagonal = packer.mlp("diag_net", config.diag_depth);
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
