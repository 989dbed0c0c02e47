#include "training/events/event_models.hpp"

#include "training/events/prefix_attention.hpp"

namespace cmanp::training::events {
namespace {

// Rows of the flattened first two dimensions.
torch::Tensor pick(const torch::Tensor& x, const torch::Tensor& rows) { return x.flatten(0, 1).index_select(0, rows); }

std::int64_t history_width(const NetworkShape& shape) {
  return static_cast<std::int64_t>(lean_config(shape).head_inputs());
}

}  // namespace

cmanp::events::CmhpConfig lean_config(const NetworkShape& shape) {
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  cmanp::events::CmhpConfig config;
  config.d_model = size(shape.d_model);
  config.nhead = size(shape.nhead);
  config.dim_feedforward = size(shape.dim_feedforward);
  config.num_layers = size(shape.num_layers);
  config.num_latents = size(shape.num_latents);
  config.num_latents_per_layer = size(shape.num_latents_per_layer);
  config.components = size(shape.components);
  config.head_width = size(shape.head_width);
  config.marks = size(shape.marks);
  config.decay = shape.decay;
  config.last_token = shape.last_token;
  config.previous_mark = shape.previous_mark;
  config.normalisers = shape.normalisers;
  if (shape.marks > 0) config.recent_marks = size(shape.recent_marks);
  return config;
}

Cmhp::Cmhp(const NetworkShape& shape) : EventNetwork(shape, history_width(shape)) {
  const std::int64_t d = shape.d_model;
  const CmabShape block{{d, shape.nhead, shape.dim_feedforward, Residual::plain}, shape.num_latents_per_layer, d, d};
  latents_ = register_parameter("latents", torch::zeros({shape.num_latents, d}));
  encoder_ = register_module("encoder", std::make_shared<CmabEncoder>(block, shape.num_layers));
  norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({d})));
  if (shape.decay) {
    decay_ = register_parameter("decay", torch::zeros({2, shape.num_layers, shape.nhead, shape.num_latents_per_layer}));
  }
}

torch::Tensor Cmhp::histories(const torch::Tensor& tokens, const EventBatch& batch, const torch::Tensor& rows) {
  torch::Tensor latents = latents_.unsqueeze(0);
  std::vector<torch::Tensor> parts, normalisers;
  const auto& blocks = encoder_->blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const KeysValues from = blocks[i]->keys_values(tokens);
    const torch::Tensor scores = torch::matmul(blocks[i]->queries(), from.keys.transpose(-2, -1));
    const torch::Tensor rates =
        decay_.defined() ? decay_.select(1, static_cast<std::int64_t>(i)).exp() : torch::Tensor();
    const PrefixAttention prefix = prefix_attention(scores, from.values, batch.ageing, rates);
    latents = blocks[i]->finish(latents, pick(prefix.attended, rows));
    normalisers.push_back(pick(prefix.normaliser, rows).flatten(1));
  }
  parts.push_back(norm_(latents).flatten(1));
  if (shape().last_token) parts.push_back(pick(tokens, rows));
  if (shape().normalisers) parts.push_back(torch::softplus(torch::cat(normalisers, 1)));
  return torch::cat(parts, 1);
}

Thp::Thp(const NetworkShape& shape) : EventNetwork(shape, shape.d_model) {
  const TransformerShape layer{shape.d_model, shape.nhead, shape.dim_feedforward};
  encoder_ = register_module("encoder", std::make_shared<TransformerEncoder>(layer, shape.num_layers));
}

torch::Tensor Thp::histories(const torch::Tensor& tokens, const EventBatch&, const torch::Tensor& rows) {
  const std::int64_t n = tokens.size(1);
  const torch::Tensor visible = torch::arange(1, n + 1, torch::kInt64);  // itself and those before
  return pick(encoder_->forward(tokens, visible), rows);
}

torch::Tensor Thp::step(const torch::Tensor& token, std::vector<Past>& past) {
  const auto& layers = encoder_->layers();
  past.resize(layers.size());
  torch::Tensor x = token;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const KeysValues added = layers[i]->keys_values(x);
    auto& [kept, count] = past[i];
    if (count == 0) {
      kept = {added.keys.contiguous(), added.values.contiguous()};
    } else if (count == kept.keys.size(2)) {  // twice the room, so that growing costs little on average
      kept = {torch::cat({kept.keys, kept.keys}, 2), torch::cat({kept.values, kept.values}, 2)};
    }
    kept.keys.narrow(2, count, 1).copy_(added.keys);
    kept.values.narrow(2, count, 1).copy_(added.values);
    ++count;
    x = layers[i]->forward(x, KeysValues{kept.keys.narrow(2, 0, count), kept.values.narrow(2, 0, count)});
  }
  return x;
}

GruModel::GruModel(const NetworkShape& shape) : EventNetwork(shape, shape.d_model) {
  gru_ = register_module(
      "gru", torch::nn::GRU(
                 torch::nn::GRUOptions(shape.d_model, shape.d_model).num_layers(shape.num_layers).batch_first(true)));
}

torch::Tensor GruModel::histories(const torch::Tensor& tokens, const EventBatch&, const torch::Tensor& rows) {
  return pick(std::get<0>(gru_(tokens)), rows);
}

}  // namespace cmanp::training::events
