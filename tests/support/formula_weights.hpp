// Weights and data by closed formulas (sines of the indices), for which the values that the public implementation
// computes in float64 are known: golden numbers that need no file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runtime/model_data.hpp"
#include "support/plain_model.hpp"

namespace cmanp::testing {

struct Task {
  Points context;
  Points targets;
};

std::map<std::string, Matrix> formula_weights(const Config& config);

// The same rounded to float, as a model file would hold them.
runtime::ModelData formula_model(const Config& config);

// Task b of the two: 7 context points and 5 targets.
Task formula_task(const Config& config, std::size_t b);

}  // namespace cmanp::testing
