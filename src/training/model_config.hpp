// The shape and settings of any model of the family: plain numbers under the public PyTorch implementation's names.
// A model reads those keys that belong to it; the others stay at their defaults and mean nothing. model_keys.inc lists
// them.
#pragma once

#include <cmanp/config.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cmanp::training {

struct ModelConfig {
#define CMANP_NUMBER(name, value, ...) std::int64_t name = value;
#define CMANP_FLAG(name, value, ...) bool name = value;
#define CMANP_REAL(name, value, ...) double name = value;
#define CMANP_CHOICE(name, type, value, ...) type name = type::value;
#include "training/model_keys.inc"
#undef CMANP_NUMBER
#undef CMANP_FLAG
#undef CMANP_REAL
#undef CMANP_CHOICE

  // CMANP in training: context points a chunk, 0: all at once. Memory only, so no key of a model's: the trainer sets
  // it.
  std::int64_t context_chunk = 0;

  std::int64_t latent_width() const { return latent_dim > 0 ? latent_dim : d_model; }
  std::int64_t layer_latent_width() const { return layer_latent_dim > 0 ? layer_latent_dim : d_model; }
  std::int64_t features_x() const { return dim_x * (1 + 2 * fourier_features); }
  std::int64_t axes() const { return dim_x - features; }
};

// "cnp", "canp", …, "cmanpand"; see model_kind.hpp.
std::vector<std::string> model_names();

// Throws Error with the known names where `model` is not one.
void check_model_name(const std::string& model);

// A key as help shows it.
struct ModelKey {
  std::string name, meaning;
  nlohmann::ordered_json value;      // by default; of choices, a name
  std::vector<std::string> choices;  // of names
};

// The keys that configure this model.
std::vector<ModelKey> model_keys(const std::string& model);
std::vector<std::string> config_keys(const std::string& model);

// A number by its key; throws Error where there is none.
std::int64_t& number_of(ModelConfig& config, const std::string& key);

// The sizes published for an experiment: "gp", "wheel", "emnist" or "celeba" ("celeba32", …).
ModelConfig default_config(const std::string& model, const std::string& experiment);

// What a file says of it; keys that came later only where they say something.
nlohmann::ordered_json to_json(const std::string& model, const ModelConfig& config);

// Settings over `config`, checked; throws Error that names the key. The reference's own configurations pass, as long as
// what they ask for (dropout 0, pre-norm) is what there is.
ModelConfig parse_config(const std::string& model, const nlohmann::json& settings, ModelConfig config = {});

// Throws Error where numbers are out of bounds or contradict each other.
void validate(const std::string& model, const ModelConfig& config);

// About how many parameters this asks for, never far too few: to refuse before anything is allocated.
double rough_parameter_count(const std::string& model, const ModelConfig& config);

}  // namespace cmanp::training
