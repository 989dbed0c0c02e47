#include "runtime/tensor_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstdint>

#include "files/quote.hpp"
#include "runtime/config_keys.hpp"
#include "runtime/grid.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::runtime {
namespace {

using Shapes = std::map<std::string, std::vector<std::size_t>>;

class Namer {
 public:
  explicit Namer(const Config& config) : config_(config) {}

  Shapes list() {
    const std::size_t d = config_.d_model, hidden = config_.dim_feedforward, dy = config_.dim_y;
    mlp("embedder", config_.content_x() + dy, d, d, config_.emb_depth);
    if (config_.content_x() > 0) {
      mlp("query_embedder", config_.content_x(), d, d, config_.emb_depth);
    } else {
      shapes_["query_latents"] = {1, d};
    }
    shapes_["latents"] = {config_.relative() ? 1 : config_.num_latents, config_.latent_dim};
    for (std::size_t i = 0; i < config_.num_layers; ++i) encoder_block(fmt::format("encoder.layers.{}.", i));
    for (std::size_t i = 0; i < config_.num_layers; ++i) {
      const std::string layer = fmt::format("decoder.layers.{}.", i);
      cross_attention(layer + "cross_attn", d, config_.latent_dim);
      feed_forward(layer + "cross_ff", d);
    }
    norm("norm", d);
    if (config_.diagonal()) {
      mlp("predictor", d, hidden, 2 * dy, 2);
    } else {
      covariance_head();
    }
    return std::move(shapes_);
  }

 private:
  // A CMAB: phase 1 brings the context into the block's own latents, phase 2 these into the input latents.
  void encoder_block(const std::string& block) {
    const std::size_t own = config_.layer_latent_dim, input = config_.latent_dim;
    shapes_[block + "latents"] = {config_.relative() ? 1 : config_.num_latents_per_layer, own};
    cross_attention(block + "layer_cross_attn", own, config_.d_model);
    if (config_.relative()) null_key(block + "layer_cross_attn");
    feed_forward(block + "layer_cross_ff", own);
    self_attention(block + "layer_latent_self_attn", own);
    feed_forward(block + "layer_latent_ff", own);
    cross_attention(block + "cross_attn", input, own);
    feed_forward(block + "cross_ff", input);
    self_attention(block + "latent_self_attn", input);
    feed_forward(block + "latent_ff", input);
  }

  void covariance_head() {
    const std::size_t d = config_.d_model, hidden = config_.dim_feedforward, dy = config_.dim_y;
    mlp("mean_net", d, hidden, dy, 2);
    for (std::size_t i = 0; i < config_.num_std_layers; ++i) {
      const std::string layer = fmt::format("std_encoder.layers.{}.", i);
      if (config_.relative()) {
        self_attention(layer + "self_attn", d);
        feed_forward(layer + "ff", d);
        continue;
      }
      shapes_[layer + "self_attn.in_proj_weight"] = {3 * d, d};
      shapes_[layer + "self_attn.in_proj_bias"] = {3 * d};
      linear(layer + "self_attn.out_proj", d, d);
      linear(layer + "linear1", d, hidden);
      linear(layer + "linear2", hidden, d);
      norm(layer + "norm1", d);
      norm(layer + "norm2", d);
    }
    mlp("projector", d, hidden, config_.prj_dim * dy, config_.prj_depth);
    if (config_.covariance == Covariance::lowrank) mlp("diag_net", d, hidden, dy, config_.diag_depth);
  }

  void self_attention(const std::string& name, std::size_t width) {
    const std::size_t d = config_.d_model;
    shapes_[name + ".fn.to_q.weight"] = {d, width};
    shapes_[name + ".fn.to_kv.weight"] = {2 * d, width};
    linear(name + ".fn.to_out", d, width);
    norm(name + ".norm", width);
    if (!config_.relative()) return;
    const std::size_t heads = config_.nhead, half = config_.head_dim() / 2;
    shapes_[name + ".log_gamma"] = {heads};
    shapes_[name + ".log_omega"] = {heads, half};
    if (config_.axes() > 1) shapes_[name + ".direction"] = {heads, half, config_.axes()};
  }

  void null_key(const std::string& name) {
    shapes_[name + ".null_score"] = {config_.nhead};
    shapes_[name + ".null_value"] = {config_.nhead, config_.head_dim()};
  }

  void cross_attention(const std::string& name, std::size_t query_width, std::size_t context_width) {
    self_attention(name, query_width);
    shapes_[name + ".fn.to_kv.weight"] = {2 * config_.d_model, context_width};
    norm(name + ".norm_context", context_width);
  }

  void feed_forward(const std::string& name, std::size_t width) {
    linear(name + ".fn.net.0", width, 2 * config_.dim_feedforward);
    linear(name + ".fn.net.2", config_.dim_feedforward, width);
    norm(name + ".norm", width);
  }

  // Linear layers with a ReLU between; the odd places of the reference's sequence are the ReLUs.
  void mlp(const std::string& name, std::size_t in, std::size_t hidden, std::size_t out, std::size_t depth) {
    const std::size_t layers = std::max<std::size_t>(depth, 2);
    for (std::size_t i = 0; i < layers; ++i) {
      linear(fmt::format("{}.{}", name, 2 * i), i == 0 ? in : hidden, i + 1 == layers ? out : hidden);
    }
  }

  void linear(const std::string& name, std::size_t in, std::size_t out) {
    shapes_[name + ".weight"] = {out, in};
    shapes_[name + ".bias"] = {out};
  }

  void norm(const std::string& name, std::size_t width) {
    shapes_[name + ".weight"] = {width};
    shapes_[name + ".bias"] = {width};
  }

  const Config& config_;
  Shapes shapes_;
};

// Throws Error where there can be no such grid; the range that a context is opened with is checked by itself.
void validate_relative(const Config& config) {
  if (!std::isfinite(config.spacing) || config.spacing <= 0) {
    throw Error(fmt::format("config: \"spacing\" is {}, but must be above 0", config.spacing));
  }
  if (!std::isfinite(config.longest_length) || config.longest_length < 1) {
    throw Error(fmt::format("config: \"longest_length\" is {}, but must be 1 or more", config.longest_length));
  }
  if (config.head_dim() % 2 != 0) {
    throw Error(fmt::format("config: relative coordinates turn pairs of features, but a head of \"d_model\" {} has {}",
                            config.d_model, config.head_dim()));
  }
  if (config.latent_dim != config.d_model || config.layer_latent_dim != config.d_model) {
    throw Error("config: in relative coordinates, \"latent_dim\" and \"layer_latent_dim\" are \"d_model\"");
  }
  try {
    Grid::over(config, Normalisation::identity(config), default_range(config, Normalisation::identity(config)));
  } catch (const Error& error) {
    throw Error(fmt::format("config: \"range_low\", \"range_high\": {}", error.what()));
  }
}

void check_number(const char* key, std::size_t value, std::size_t least, std::size_t most) {
  if (value < least || value > most) {
    throw Error(fmt::format("config: \"{}\" is {}, but must be from {} to {}", key, value, least, most));
  }
}

}  // namespace

Shapes expected_tensors(const Config& config) { return Namer(config).list(); }

void validate(const Config& config) {
  for (const NumberKey& key : config_numbers) check_number(key.name, config.*key.member, key.least, key.most);
  if (config.d_model % config.nhead != 0) {
    throw Error(fmt::format("config: \"d_model\" {} is not a multiple of \"nhead\" {}", config.d_model, config.nhead));
  }

  if (config.features > 0 && (!config.relative() || config.features >= config.dim_x || config.frames)) {
    throw Error(fmt::format(
        "config: \"features\" is {}: they are for relative coordinates without frames, and leave one of {} x",
        config.features, config.dim_x));
  }
  if (config.relative()) validate_relative(config);

  // Every term is below 2^60, and the sum is looked at after each.
  constexpr std::uint64_t most = (std::uint64_t{1} << 31) - 1;
  std::uint64_t parameters = 0;
  for (const auto& [name, shape] : expected_tensors(config)) {
    std::uint64_t elements = 1;
    for (const std::size_t extent : shape) elements *= extent;
    parameters += elements;
    if (parameters > most) throw Error(fmt::format("config: asks for more than {} parameters", most));
  }
  if (config.relative()) return;
  const std::uint64_t latents = std::max(config.num_latents, config.num_latents_per_layer);
  if (config.num_layers * latents * config.d_model > most) {
    throw Error(fmt::format("config: {} layers of {} latents at width {} are beyond reason", config.num_layers, latents,
                            config.d_model));
  }
}

void check_tensors(const files::TensorViews& tensors, const Config& config, const std::string& file,
                   std::string_view unused) {
  check_tensors(tensors, expected_tensors(config), config.model_name(), file, unused);
}

void check_tensors(const files::TensorViews& tensors, const Shapes& expected, const std::string& model,
                   const std::string& file, std::string_view unused) {
  for (const auto& [name, shape] : expected) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) throw Error(fmt::format("{}: tensor \"{}\" is missing", file, name));
    const files::TensorView& tensor = found->second;
    if (tensor.dtype != files::DType::f32) {
      throw Error(fmt::format("{}: tensor \"{}\" is {}, expected F32", file, name, dtype_name(tensor.dtype)));
    }
    if (tensor.shape != shape) {
      throw Error(fmt::format("{}: tensor \"{}\" has shape [{}], expected [{}]", file, name,
                              fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    const bool passed_over = !unused.empty() && name.starts_with(unused);
    if (!expected.contains(name) && !passed_over) {
      throw Error(fmt::format("{}: tensor {} is in no {} of this configuration", file, files::quote(name), model));
    }
  }
}

}  // namespace cmanp::runtime
