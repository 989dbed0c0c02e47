// Models in relative coordinates, packed.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

#include "base/grid_axis.hpp"
#include "runtime/packer.hpp"
#include "runtime/reach.hpp"

namespace cmanp::runtime {
namespace {

using kernels::Buffer;
using kernels::padded;
using kernels::RelativeHeads;
using kernels::RelativeLayer;

enum class Attends { to_itself, to_others, to_context };  // the last with a null key

class RelativePacker : public Packer {
 public:
  RelativePacker(const Config& config, const files::TensorViews& tensors, const std::string& file)
      : Packer(config, tensors, file), file_(file) {}

  RelativeBlock block(const std::string& name) const {
    const std::size_t d = config_.d_model;
    RelativeLayer context = layer(name + "layer_cross_attn", Attends::to_context);
    const Buffer<float> latent = rows(name + "latents", d);
    Buffer<float> normal(padded(d)), query(padded(d));
    kernels::layer_norm(context.layer.norm, latent.data(), padded(d), 1, normal.data(), padded(d));
    kernels::linear(context.layer.query, normal.data(), padded(d), 1, query.data(), padded(d));
    context.layer.norm = {};
    context.layer.query = {};
    set_reach(name + "layer_cross_attn", Attends::to_context, query.data(), context.relative);
    return {std::move(context),
            std::move(query),
            config_.residual == Residual::normalised ? normal : latent,
            feed_forward(name + "layer_cross_ff", d),
            reaching(name + "layer_latent_self_attn", Attends::to_itself),
            feed_forward(name + "layer_latent_ff", d),
            reaching(name + "cross_attn", Attends::to_others),
            feed_forward(name + "cross_ff", d),
            reaching(name + "latent_self_attn", Attends::to_itself),
            feed_forward(name + "latent_ff", d)};
  }

  RelativeDecoderLayer decoder_layer(const std::string& name) const {
    return {reaching(name + "cross_attn", Attends::to_others), feed_forward(name + "cross_ff", config_.d_model)};
  }

  // Targets of a block lie in any order, and are few: all see each other.
  RelativeDecoderLayer joint_layer(const std::string& name) const {
    return {layer(name + "self_attn", Attends::to_itself), feed_forward(name + "ff", config_.d_model)};
  }

 private:
  RelativeLayer layer(const std::string& name, Attends attends) const {
    const std::size_t d = config_.d_model;
    return RelativeLayer::pack(attention(name, d, d, attends != Attends::to_itself), relative_heads(name, attends));
  }

  // The same where keys lie on the grid.
  RelativeLayer reaching(const std::string& name, Attends attends) const {
    RelativeLayer result = layer(name, attends);
    set_reach(name, attends, nullptr, result.relative);
    return result;
  }

  // `query` [inner], scaled: the only one there is, to a context.
  void set_reach(const std::string& name, Attends attends, const float* query, RelativeHeads& relative) const {
    const std::vector<float> queries = read(name + ".fn.to_q.weight"), keys = read(name + ".fn.to_kv.weight");
    const std::string of_keys = name + (attends == Attends::to_itself ? ".norm" : ".norm_context");
    const std::vector<float> gain = read(name + ".norm.weight"), shift = read(name + ".norm.bias");
    const std::vector<float> key_gain = read(of_keys + ".weight"), key_shift = read(of_keys + ".bias");
    const double nearest = 0.25 * config_.spacing * config_.spacing * static_cast<double>(config_.axes());
    relative.reach = Buffer<float>(heads_.count);
    for (std::size_t h = 0; h < heads_.count; ++h) {
      const std::size_t first = h * heads_.dim * config_.d_model;
      const double key = longest_projection(keys.data() + first, heads_.dim, key_gain, key_shift);
      const auto gamma = static_cast<double>(relative.gamma[h]);
      if (attends == Attends::to_context) {
        double squares = 0;
        for (std::size_t i = h * heads_.dim; i < (h + 1) * heads_.dim; ++i) {
          squares += static_cast<double>(query[i]) * static_cast<double>(query[i]);
        }
        relative.reach[h] = static_cast<float>(
            reach_to_context(std::sqrt(squares) * key, gamma, static_cast<double>(relative.null_score[h])));
      } else {
        const double longest = longest_projection(queries.data() + first, heads_.dim, gain, shift) /
                               std::sqrt(static_cast<double>(heads_.dim));
        relative.reach[h] = static_cast<float>(reach_among_keys(longest * key, gamma, nearest));
      }
    }
  }

  RelativeHeads relative_heads(const std::string& name, Attends attends) const {
    const std::size_t axes = config_.axes(), half = heads_.dim / 2;
    const std::vector<float> gamma =
        exponentials(name + ".log_gamma", base::least_gamma(config_.longest_length, config_.spacing),
                     kSteepest / (config_.spacing * config_.spacing));
    std::vector<float> omega = exponentials(name + ".log_omega", 0, kFastest / config_.spacing);
    if (axes > 1) {
      std::vector<float> vectors = read(name + ".direction");
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        vectors[i] *= omega[i / axes];
        if (!(std::abs(vectors[i]) <= kFastest / config_.spacing)) fail(name + ".direction", i);
      }
      omega = std::move(vectors);
    }
    if (attends != Attends::to_context) {
      return RelativeHeads::pack(heads_, half, axes, gamma.data(), omega.data(), nullptr, nullptr);
    }
    return RelativeHeads::pack(heads_, half, axes, gamma.data(), omega.data(), read(name + ".null_score").data(),
                               read(name + ".null_value").data());
  }

  // exp of a tensor, `least` where it is less; refused above `most`, where scores would be no numbers.
  std::vector<float> exponentials(const std::string& name, double least, double most) const {
    std::vector<float> values = read(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = std::max(least, std::exp(static_cast<double>(values[i])));
      if (!(value <= most)) fail(name, i);
      values[i] = static_cast<float>(value);
    }
    return values;
  }

  [[noreturn]] void fail(const std::string& tensor, std::size_t element) const {
    throw Error(fmt::format("{}: tensor \"{}\" is beyond all places of a grid at element {}", file_, tensor, element));
  }

  // Far beyond any use: of penalties and of angles, from one point of the grid to the next.
  static constexpr double kSteepest = 1e12, kFastest = 1e6;

  const std::string& file_;
};

}  // namespace

Reaches reaches(const RelativeWeights& weights) {
  Reaches most{0, 0, 0};
  const auto widen = [](float& to, const RelativeLayer& layer) {
    for (const float reach : layer.relative.reach) to = std::max(to, reach);
  };
  for (const RelativeBlock& block : weights.blocks) {
    widen(most.context, block.context);
    for (const RelativeLayer* layer : {&block.own_self, &block.cross, &block.self}) widen(most.latents, *layer);
  }
  for (const RelativeDecoderLayer& layer : weights.decoder) widen(most.targets, layer.attention);
  return most;
}

Weights build_relative(const Config& config, const files::TensorViews& tensors, const std::string& name) {
  const RelativePacker packer(config, tensors, name);
  Weights weights;
  weights.config = config;
  weights.plain_token = weights.plain_own = weights.plain_latent = kernels::Norm::plain(config.d_model);
  RelativeWeights& relative = weights.relative.emplace();
  relative.latent = packer.rows("latents", config.d_model);
  if (config.content_x() > 0) {
    weights.query_embedder = packer.mlp("query_embedder", config.emb_depth);
  } else {
    relative.target = packer.rows("query_latents", config.d_model);
  }
  for (std::size_t i = 0; i < config.num_layers; ++i) {
    relative.blocks.push_back(packer.block(fmt::format("encoder.layers.{}.", i)));
    relative.decoder.push_back(packer.decoder_layer(fmt::format("decoder.layers.{}.", i)));
  }
  if (config.diagonal()) return weights;
  JointHead& head = weights.joint.emplace();
  for (std::size_t i = 0; i < config.num_std_layers; ++i) {
    head.relative_layers.push_back(packer.joint_layer(fmt::format("std_encoder.layers.{}.", i)));
  }
  return weights;
}

}  // namespace cmanp::runtime
