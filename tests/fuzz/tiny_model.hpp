// The smallest model that has all the parts, always the same: the seeds of fuzz_model and fuzz_state are made of it.
#pragma once

#include "runtime/model_data.hpp"
#include "runtime/weights.hpp"

namespace cmanp::testing {

inline runtime::ModelData tiny_model_data(Covariance covariance = Covariance::diagonal) {
  Config config;
  config.d_model = config.latent_dim = config.layer_latent_dim = 4;
  config.dim_feedforward = 4;
  config.nhead = 2;
  config.num_layers = 1;
  config.num_latents = config.num_latents_per_layer = 2;
  config.emb_depth = config.prj_depth = config.diag_depth = 2;
  config.covariance = covariance;
  config.num_std_layers = 1;
  config.prj_dim = 2;
  return runtime::random_model(config, 1);
}

inline Model tiny_model() { return runtime::make_model(tiny_model_data()); }

}  // namespace cmanp::testing
