// The shape and settings of any model of the family: plain numbers under the public PyTorch implementation's names.
// A model reads those keys that belong to it; the others stay at their defaults and mean nothing.
#pragma once

#include <cmanp/config.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace cmanp::training {

// What attentions know of x: contents that it is embedded in, or differences of places only.
enum class Coordinates { absolute, relative };

struct ModelConfig {
  std::int64_t dim_x = 1;
  std::int64_t dim_y = 1;

  // CNP, CANP, NP, ANP, BNP, BANP.
  std::int64_t dim_hid = 128;
  std::int64_t dim_lat = 128;     // NP, ANP
  std::int64_t enc_v_depth = 4;   // CANP, ANP, BANP
  std::int64_t enc_qk_depth = 2;  // CANP, ANP, BANP
  std::int64_t enc_pre_depth = 4;
  std::int64_t enc_post_depth = 2;
  std::int64_t dec_depth = 3;
  std::int64_t train_num_samples = 4;  // latents or bootstraps K; NP, ANP, BNP, BANP
  std::int64_t eval_num_samples = 50;  // and TNP-A's sampled orders

  // The transformers.
  std::int64_t d_model = 64;
  std::int64_t emb_depth = 4;
  std::int64_t dim_feedforward = 128;
  std::int64_t nhead = 4;
  std::int64_t num_layers = 6;
  bool bound_std = false;
  bool distinct_layers = false;  // draw every layer by itself; as published they start as copies of one
  bool permute = true;           // TNP-A: every sampled path in an order of its own

  // EQTNP, LBANP, CMANP.
  Residual residual = Residual::normalised;
  std::int64_t fourier_features = 0;
  std::int64_t num_latents = 128;            // LBANP, CMANP
  std::int64_t num_latents_per_layer = 128;  // CMANP
  std::int64_t latent_dim = 0;               // CMANP; 0: as d_model
  std::int64_t layer_latent_dim = 0;         // CMANP; 0: as d_model
  std::int64_t CMAB_block_size = 0;          // b_C: context points a chunk in evaluation; 0: all at once
  std::int64_t AND_block_size = 5;           // b_Q: targets predicted jointly in evaluation; 0: all at once

  // CMANP in relative coordinates: latents lie on a grid of this spacing over the range of every x, which also give
  // their number. The range is the one trained on; any other at the same spacing has the same weights.
  Coordinates coordinates = Coordinates::absolute;
  double spacing = 0.105;
  double range_low = -2, range_high = 2;
  bool absolute_features = false;  // contents know x besides, for data that are not the same everywhere

  // CMANP in training: context points a chunk, 0: all at once. Memory only, so no key of a model's: the trainer sets
  // it.
  std::int64_t context_chunk = 0;

  // TNP-ND, LBANP-ND, CMANP-AND.
  std::int64_t train_block_size = 0;  // training scores targets in blocks of up to so many; 0: all jointly
  Covariance cov_approx = Covariance::cholesky;
  std::int64_t num_std_layers = 2;
  std::int64_t prj_dim = 20;
  std::int64_t prj_depth = 4;
  std::int64_t diag_depth = 4;  // low rank only

  std::int64_t latent_width() const { return latent_dim > 0 ? latent_dim : d_model; }
  std::int64_t layer_latent_width() const { return layer_latent_dim > 0 ? layer_latent_dim : d_model; }
  std::int64_t features_x() const { return dim_x * (1 + 2 * fourier_features); }
};

// "cnp", "canp", …, "cmanpand".
const std::vector<std::string>& model_names();

// Throws Error with the nearest known name where `model` is not one.
void check_model_name(const std::string& model);

// Whether it answers with one normal of each target, or of all of them, that a loss can be worked out for.
bool answers_with_normal(const std::string& model);
bool answers_jointly(const std::string& model);

// The keys that configure this model.
std::vector<std::string> config_keys(const std::string& model);

// The published settings for a task: "gp", "wheel", "emnist" or "celeba" ("celeba32", …).
ModelConfig default_config(const std::string& model, const std::string& task);

// What a file says of it; keys that came later only where they say something.
nlohmann::ordered_json to_json(const std::string& model, const ModelConfig& config);
nlohmann::ordered_json all_keys(const std::string& model, const ModelConfig& config);

// Settings over `config`, checked; throws Error that names the key. The reference's own configurations pass, as long as
// what they ask for (dropout 0, pre-norm) is what there is.
ModelConfig parse_config(const std::string& model, const nlohmann::json& settings, ModelConfig config = {});

// Throws Error where numbers are out of bounds or contradict each other.
void validate(const std::string& model, const ModelConfig& config);

// About how many parameters this asks for, never far too few: to refuse before anything is allocated.
double rough_parameter_count(const std::string& model, const ModelConfig& config);

}  // namespace cmanp::training
