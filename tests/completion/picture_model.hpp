// A small model for pictures, with lively weights.
#pragma once

#include <cmanp/model.hpp>

#include "golden/freedoms.hpp"
#include "runtime/weights.hpp"

namespace cmanp::testing {

inline Model picture_model(std::size_t channels, Covariance covariance = Covariance::diagonal) {
  Config config = freedoms().at("base");
  config.dim_x = 2;
  config.dim_y = channels;
  config.covariance = covariance;
  return runtime::make_model(lively_model(config, 11));
}

}  // namespace cmanp::testing
