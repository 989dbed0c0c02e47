// What a model knows, as far as its file says so: for units, warnings, and whoever inspects it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "files/safetensors.hpp"

namespace cmanp::measures {

struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

// In the units that the network sees: those of the data, normalised.
struct Knowledge {
  bool trained = true;             // false: its weights are random
  std::vector<Interval> x = {};    // that training drew its x from, a channel each; the last stands for all that follow
  std::optional<Interval> y = {};  // that hardly a y of training was outside of
  std::optional<double> noise = {};  // the largest deviation of noise in training
  std::string prior = {};            // what its functions were
  std::optional<Interval> x_of(std::size_t channel) const;
};

// From the entry `knows` of the provenance, or, in files from before there was one, from the settings of the training.
// What is not said or makes no sense is not known.
Knowledge knowledge_of(const files::Safetensors& model);

// Only what is known.
nlohmann::ordered_json json_of(const Knowledge& knowledge);

}  // namespace cmanp::measures
