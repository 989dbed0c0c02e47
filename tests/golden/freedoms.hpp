// Small configurations that between them use every freedom a model has, and random data for them.
#pragma once

#include <cmanp/config.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "support/formula_weights.hpp"

namespace cmanp::testing {

inline void make_relative(Config& config) {
  config.coordinates = Coordinates::relative;
  config.residual = Residual::plain;
  config.spacing = 0.5;
  config.range_low = -2.5;
  config.range_high = 2.5;
  config.num_latents = config.num_latents_per_layer = Config{}.num_latents;  // the grid's
}

inline const std::map<std::string, Config>& freedoms() {
  static const std::map<std::string, Config> all = [] {
    Config base;
    base.d_model = base.latent_dim = base.layer_latent_dim = 16;
    base.nhead = 4;
    base.dim_feedforward = 24;
    base.num_layers = 2;
    base.num_latents = 9;
    base.num_latents_per_layer = 7;
    base.prj_dim = 3;
    const auto with = [&](auto change) {
      Config config = base;
      change(config);
      return config;
    };
    return std::map<std::string, Config>{
        {"base", base},
        {"bound_std", with([](Config& c) { c.bound_std = true; })},
        {"least_std", with([](Config& c) { c.bound_std = true, c.least_std = 0.02; })},
        {"plain_residual", with([](Config& c) { c.residual = Residual::plain; })},
        {"fourier_features", with([](Config& c) { c.fourier_features = 3, c.dim_x = 2; })},
        {"own_widths", with([](Config& c) { c.latent_dim = 10, c.layer_latent_dim = 21; })},
        {"two_to_three", with([](Config& c) { c.dim_x = 2, c.dim_y = 3; })},
        // Nothing a multiple of a vector, one head of size 1 each, the shallowest embedder.
        {"odd", with([](Config& c) {
           c.d_model = c.nhead = 5, c.dim_feedforward = 7, c.latent_dim = 3, c.layer_latent_dim = 11;
           c.num_latents = 1, c.num_latents_per_layer = 2, c.emb_depth = 1;
         })},
        {"one_of_all", with([](Config& c) {
           c.d_model = c.nhead = c.dim_feedforward = c.latent_dim = c.layer_latent_dim = 1;
           c.num_latents = c.num_latents_per_layer = c.num_layers = 1;
         })},
        {"cholesky", with([](Config& c) { c.covariance = Covariance::cholesky, c.dim_y = 2; })},
        {"cholesky_bound", with([](Config& c) { c.covariance = Covariance::cholesky, c.bound_std = true; })},
        {"cholesky_least",
         with([](Config& c) { c.covariance = Covariance::cholesky, c.bound_std = true, c.least_std = 0.02; })},
        {"lowrank", with([](Config& c) { c.covariance = Covariance::lowrank, c.dim_y = 2; })},
        {"lowrank_all", with([](Config& c) {
           c.covariance = Covariance::lowrank, c.dim_x = 2, c.dim_y = 3, c.fourier_features = 2;
           c.residual = Residual::plain, c.latent_dim = 12, c.layer_latent_dim = 6, c.bound_std = true;
           c.num_std_layers = 1, c.prj_depth = 1, c.diag_depth = 2;
         })},
        {"relative", with([](Config& c) { make_relative(c); })},
        {"relative_all", with([](Config& c) {
           make_relative(c), c.dim_x = 2, c.dim_y = 2, c.spacing = 1.3;
           c.residual = Residual::normalised, c.absolute_features = true, c.fourier_features = 1;
         })},
        {"relative_features",
         with([](Config& c) { make_relative(c), c.dim_x = 3, c.features = 2, c.covariance = Covariance::cholesky; })},
        {"relative_cholesky",
         with([](Config& c) { make_relative(c), c.covariance = Covariance::cholesky, c.dim_y = 2; })},
        {"relative_lowrank",
         with([](Config& c) { make_relative(c), c.covariance = Covariance::lowrank, c.dim_x = 2, c.spacing = 1.1; })},
        // Heads of two features, the shallowest embedder, a latent or so a length.
        {"relative_odd", with([](Config& c) {
           make_relative(c), c.d_model = c.latent_dim = c.layer_latent_dim = 6, c.nhead = 3, c.dim_feedforward = 7;
           c.emb_depth = 1, c.spacing = 5, c.num_layers = 1;
         })},
        {"no_std_layers", with([](Config& c) { c.covariance = Covariance::lowrank, c.num_std_layers = 0; })},
    };
  }();
  return all;
}

// Random weights, matrices enlarged: at their usual size the context hardly shows in the answers of an untrained model,
// and a test on these could not fail by much.
inline runtime::ModelData lively_model(const Config& config, std::uint64_t seed) {
  runtime::ModelData data = runtime::random_model(config, seed);
  for (auto& [name, tensor] : data.tensors) {
    const bool matrix = name.ends_with("weight") && tensor.shape.size() == 2;
    if (matrix || name.ends_with("null_value")) {
      for (float& value : tensor.values) value *= 1.7f;
    }
  }
  return data;
}

inline Normalisation unusual_normalisation(const Config& config) {
  Normalisation result;
  for (std::size_t c = 0; c < config.dim_x; ++c) {
    result.x_shift.push_back(0.3 + 0.5 * static_cast<double>(c));
    result.x_scale.push_back(1.7 - 0.4 * static_cast<double>(c));
  }
  for (std::size_t c = 0; c < config.dim_y; ++c) {
    result.y_shift.push_back(-0.2 + 0.4 * static_cast<double>(c));
    result.y_scale.push_back(2.5 - 0.6 * static_cast<double>(c));
  }
  return result;
}

// x uniform over [-2, 2), y a noisy wave of it.
inline Task random_task(const Config& config, std::size_t context, std::size_t targets, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  Task task;
  for (std::size_t n = 0; n < context + targets; ++n) {
    Points& points = n < context ? task.context : task.targets;
    double sum = 0;
    for (std::size_t k = 0; k < config.dim_x; ++k) {
      points.x.push_back(uniform(bits));
      sum += points.x.back();
    }
    for (std::size_t c = 0; c < config.dim_y; ++c) {
      points.y.push_back(std::sin(2 * sum + static_cast<double>(c)) + 0.1 * uniform(bits));
    }
  }
  return task;
}

}  // namespace cmanp::testing
