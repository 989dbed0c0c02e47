// The numbers of a Config, a line each: what reading, writing, checking and both programs' flags know of them.
#pragma once

#include <array>
#include <cmanp/config.hpp>
#include <cstddef>
#include <string_view>

namespace cmanp::runtime {

struct NumberKey {
  const char* name;  // in files
  std::size_t Config::*member;
  std::size_t least, most;  // far beyond any use, and small enough that no product of two of them overflows
  const char* meaning;
  bool joint = false;     // of the not-diagonal head only
  bool absolute = false;  // in absolute coordinates only: a grid has as many latents as its range asks for
  bool relative = false;  // in relative coordinates only, and in files where it is not 0: a key that came later
};

inline constexpr std::size_t kWidest = 1'000'000, kDeepest = 1'000;

// In the order in which files have them.
inline constexpr std::array config_numbers{
    NumberKey{"dim_x", &Config::dim_x, 1, kWidest, "Numbers in an x"},
    NumberKey{"dim_y", &Config::dim_y, 1, kWidest, "Numbers in a y"},
    NumberKey{"d_model", &Config::d_model, 1, kWidest, "Width of tokens"},
    NumberKey{"emb_depth", &Config::emb_depth, 1, kDeepest, "Linear layers in each embedder"},
    NumberKey{"dim_feedforward", &Config::dim_feedforward, 1, kWidest, "Hidden width of feed-forwards"},
    NumberKey{"nhead", &Config::nhead, 1, kWidest, "Attention heads; they divide the width"},
    NumberKey{"num_layers", &Config::num_layers, 1, kDeepest, "Blocks, and decoder layers"},
    NumberKey{"num_latents", &Config::num_latents, 1, kWidest, "Input latents", false, true},
    NumberKey{"num_latents_per_layer", &Config::num_latents_per_layer, 1, kWidest, "Latents of each block", false,
              true},
    NumberKey{"latent_dim", &Config::latent_dim, 1, kWidest, "Width of the input latents (default: d-model)", false,
              true},
    NumberKey{"layer_latent_dim", &Config::layer_latent_dim, 1, kWidest,
              "Width of each block's latents (default: d-model)", false, true},
    NumberKey{"fourier_features", &Config::fourier_features, 0, 32, "Sine and cosine features beside each x"},
    NumberKey{"features", &Config::features, 0, kWidest,
              "In relative coordinates: so many at the end of x are no places, but what else is known of a point",
              false, false, true},
    NumberKey{"num_std_layers", &Config::num_std_layers, 0, kDeepest, "Self-attention among jointly predicted targets",
              true},
    NumberKey{"prj_dim", &Config::prj_dim, 1, kWidest, "Width of a target's factor of the covariance", true},
    NumberKey{"prj_depth", &Config::prj_depth, 1, kDeepest, "Linear layers that make that factor", true},
    NumberKey{"diag_depth", &Config::diag_depth, 1, kDeepest, "Linear layers that make the low-rank form's diagonal",
              true},
};

// nullptr where there is none of this name.
constexpr const NumberKey* find_number(std::string_view name) {
  for (const NumberKey& key : config_numbers) {
    if (name == key.name) return &key;
  }
  return nullptr;
}

// Of the grid, in relative coordinates.
struct RealKey {
  const char* name;
  double Config::*member;
  bool later = false;  // files have it only where it says something: programs from before know nothing of it
};

inline constexpr std::array config_reals{
    RealKey{"spacing", &Config::spacing},
    RealKey{"range_low", &Config::range_low},
    RealKey{"range_high", &Config::range_high},
    RealKey{"longest_length", &Config::longest_length, true},
};

constexpr const RealKey* find_real(std::string_view name) {
  for (const RealKey& key : config_reals) {
    if (name == key.name) return &key;
  }
  return nullptr;
}

// A size below 100,000 parameters, for very small devices: `--preset nano` of both programs.
struct PresetNumber {
  const char* name;
  std::size_t value;
};

inline constexpr std::array nano_size{
    PresetNumber{"d_model", 32},       PresetNumber{"nhead", 2},        PresetNumber{"dim_feedforward", 32},
    PresetNumber{"num_layers", 2},     PresetNumber{"num_latents", 32}, PresetNumber{"num_latents_per_layer", 32},
    PresetNumber{"num_std_layers", 1}, PresetNumber{"prj_dim", 8},
};

}  // namespace cmanp::runtime
