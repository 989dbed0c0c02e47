// A trained Constant Memory Hawkes Process, read from one file: immutable, shared by any number of engines.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "events/cmhp_config.hpp"
#include "runtime/weights.hpp"

namespace cmanp::events {

inline constexpr const char* cmhp_name = "cmhp";

struct EventModel {
  CmhpConfig config;
  EventDomain domain;
  std::string hash;
  std::size_t parameters = 0;
  std::unordered_map<std::string, std::uint32_t> mark_numbers;  // by name

  runtime::Weights encoder;                   // the CMABs
  runtime::Mlp time_embedding;                // time features to a token
  kernels::Buffer<float> mark_embedding;      // [marks][d_model], added to it
  kernels::Buffer<float> previous_embedding;  // the same of the mark before; empty without
  kernels::Buffer<float> recent_embedding;    // [recent_marks + 1][d_model]: of a mark's place among the last ones
  kernels::Buffer<float> start_token;         // [padded(d_model)]: what every sequence begins with
  std::vector<double> event_rates;            // [layers * heads * latents]: what an event makes others age by
  std::vector<double> time_rates;             // the same for a typical gap
  kernels::Norm norm;                         // of the latents, before the heads
  runtime::Mlp time_head;
  std::optional<runtime::Mlp> mark_head, recent_head;

  std::size_t bytes() const;

  // Throws Error that names the file and what is wrong with it.
  static std::shared_ptr<const EventModel> load(const std::filesystem::path& path);
  static std::shared_ptr<const EventModel> parse(const files::Safetensors& file);
};

// Metadata that make a file of such tensors a model.
files::Metadata model_metadata(const CmhpConfig& config, const EventDomain& domain, const std::string& provenance);

}  // namespace cmanp::events
