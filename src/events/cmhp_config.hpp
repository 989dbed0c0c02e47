// What a Constant Memory Hawkes Process is made of, as its file's metadata hold it.
#pragma once

#include <cmanp/config.hpp>
#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "events/time_scale.hpp"
#include "files/safetensors.hpp"

namespace cmanp::events {

struct CmhpConfig {
  std::size_t d_model = 32;
  std::size_t nhead = 2;
  std::size_t dim_feedforward = 32;
  std::size_t num_layers = 1;             // CMABs
  std::size_t num_latents = 4;            // that are flattened for the heads
  std::size_t num_latents_per_layer = 8;  // of each block's own
  std::size_t components = 16;            // of the mixture
  std::size_t head_width = 64;            // hidden width of both heads
  std::size_t marks = 0;                  // kinds of events; 0: unmarked

  // A set of tokens does not know which came last. What tells the heads:
  bool decay = true;             // each block's latents forget, at learnt rates in events and in time
  bool last_token = true;        // the last event's token stands beside the latents
  bool previous_mark = true;     // a token knows the mark before its own
  bool normalisers = true;       // and so do the attentions' log-normalisers: how much there is to attend to, by age
  std::size_t recent_marks = 0;  // so many distinct marks are remembered, and may be predicted as such

  std::size_t states() const { return num_layers * nhead * num_latents_per_layer; }  // triples
  std::size_t head_inputs() const;
  Config blocks() const;  // the CMABs' shape as the runtime has it

  bool operator==(const CmhpConfig&) const = default;
};

// What the model knows of the data it was trained on.
struct EventDomain {
  TimeScale scale;
  std::optional<double> from;           // where every sequence's clock begins; none: at its first event
  std::vector<std::string> mark_names;  // by number

  bool operator==(const EventDomain&) const = default;
};

// Throws Error where numbers contradict each other or are beyond reason.
void validate(const CmhpConfig& config);

// The name and shape of every tensor that such a model has.
std::map<std::string, std::vector<std::size_t>> expected_tensors(const CmhpConfig& config);

nlohmann::ordered_json to_json(const CmhpConfig& config);
nlohmann::ordered_json to_json(const EventDomain& domain);

// The model's name for itself, as runtime/hash.hpp has it.
std::string hash_model(const CmhpConfig& config, const EventDomain& domain, const files::TensorViews& tensors);

// Out of a file's metadata, checked; throws Error that names the file.
CmhpConfig parse_cmhp(const files::Safetensors& file);
EventDomain parse_domain(const files::Safetensors& file);

}  // namespace cmanp::events
