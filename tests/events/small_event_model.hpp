// A small model of events with random weights, as a file.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "events/event_model.hpp"

namespace cmanp::testing {

inline events::CmhpConfig small_event_config(std::size_t marks) {
  events::CmhpConfig config;
  config.d_model = 8;
  config.nhead = 2;
  config.dim_feedforward = 8;
  config.num_layers = 2;
  config.num_latents = 3;
  config.num_latents_per_layer = 4;
  config.components = 3;
  config.head_width = 8;
  config.marks = marks;
  config.recent_marks = marks > 0 ? 2 : 0;
  return config;
}

inline void write_small_event_model(const std::filesystem::path& path, const events::CmhpConfig& config,
                                    std::optional<double> from = {}, unsigned seed = 1) {
  events::EventDomain domain;
  domain.scale = {0.5, 1.5, 0.01, 20, 15};
  domain.from = from;
  for (std::size_t i = 0; i < config.marks; ++i) domain.mark_names.emplace_back(1, static_cast<char>('a' + i));
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal(0, 0.4F);
  std::map<std::string, std::vector<float>> values;
  files::TensorViews views;
  for (const auto& [name, shape] : expected_tensors(config)) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    for (std::size_t i = 0; i < count; ++i) values[name].push_back(normal(bits));
    views[name] = files::view_of(values[name], shape);
  }
  files::write_safetensors(path, model_metadata(config, domain, "{}"), views);
}

}  // namespace cmanp::testing
