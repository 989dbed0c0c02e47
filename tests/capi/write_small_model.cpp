// Writes an untrained model, small enough for a test: write_small_model cmanp|cmanpand|agent|frames|events FILE
#include <cmanp/error.hpp>
#include <cstdio>
#include <string>

#include "events/small_event_model.hpp"
#include "runtime/model_data.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  cmanp::Config config;
  config.dim_x = 2;
  config.d_model = 16;
  config.dim_feedforward = 24;
  config.nhead = 2;
  config.num_layers = 2;
  config.num_latents = 8;
  config.num_latents_per_layer = 7;
  config.latent_dim = 16;
  config.layer_latent_dim = 16;
  if (std::string(argv[1]) == "cmanpand") {
    config.covariance = cmanp::Covariance::cholesky;
    config.prj_dim = 6;
  }
  if (std::string(argv[1]) == "agent") config.dim_x = 4;
  if (std::string(argv[1]) == "frames") {  // in relative coordinates, so that it has a range
    config.dim_x = 1;
    config.frames = true;
    config.coordinates = cmanp::Coordinates::relative;
    config.spacing = 1;
    config.range_low = -20;
    config.range_high = 20;
  }
  try {
    if (std::string(argv[1]) == "events") {
      cmanp::testing::write_small_event_model(argv[2], cmanp::testing::small_event_config(3));
      return 0;
    }
    cmanp::runtime::write_model(argv[2], cmanp::runtime::random_model(config, 7));
  } catch (const cmanp::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
