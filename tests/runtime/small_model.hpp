// A small model with lively weights, and data for it.
#pragma once

#include <cmanp/cmanp.hpp>

#include "golden/freedoms.hpp"
#include "runtime/weights.hpp"

namespace cmanp::testing {

inline Model small_model(const std::string& freedom = "base", std::uint64_t seed = 5) {
  return runtime::make_model(lively_model(freedoms().at(freedom), seed));
}

inline Points points_for(const Model& model, std::size_t count, std::uint64_t seed = 1) {
  return random_task(model.config(), count, 0, seed).context;
}

// Part of some points.
inline Points part(const Model& model, const Points& points, std::size_t begin, std::size_t end) {
  const auto cut = [&](const std::vector<double>& values, std::size_t dim) {
    return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(begin * dim),
                               values.begin() + static_cast<std::ptrdiff_t>(end * dim));
  };
  return {cut(points.x, model.config().dim_x), cut(points.y, model.config().dim_y)};
}

inline void observe(Context& context, const Points& points) { context.observe(points.x, points.y); }

inline Diagonal predict(Context& context, const std::vector<double>& x) {
  const Config& config = context.model().config();
  Diagonal answer;
  answer.mean.resize(x.size() / config.dim_x * config.dim_y);
  answer.std.resize(answer.mean.size());
  context.predict(x, answer.mean, answer.std);
  return answer;
}

}  // namespace cmanp::testing
