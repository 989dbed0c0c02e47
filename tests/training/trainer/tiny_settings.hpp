// Settings of a run that takes a second: a CMANP with a few thousand parameters.
#pragma once

#include "training/trainer/settings.hpp"

namespace cmanp::testing {

inline nlohmann::ordered_json tiny_document() {
  return {{"model", "cmanp"},     {"d_model", 8},
          {"nhead", 2},           {"dim_feedforward", 8},
          {"emb_depth", 2},       {"num_layers", 2},
          {"num_latents", 4},     {"num_latents_per_layer", 4},
          {"latent_dim", 8},      {"layer_latent_dim", 8},
          {"batch", 4},           {"max_points", 20},
          {"steps", 20},          {"warmup", 3},
          {"clip", 1.0},          {"ema", 0.9},
          {"weight_decay", 1e-4}, {"lr", 1e-3},
          {"log_every", 3},       {"eval_every", 7},
          {"eval_batches", 2},    {"save_every", 5},
          {"threads", 1}};
}

inline training::Settings tiny_settings(const nlohmann::ordered_json& changes = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json document = tiny_document();
  document.update(changes);
  return training::parse_settings(document, "");
}

}  // namespace cmanp::testing
