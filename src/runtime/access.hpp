// What is behind the public types, for the library itself, its programs and its tests.
#pragma once

#include <cmanp/context.hpp>
#include <cmanp/model.hpp>
#include <memory>
#include <utility>

namespace cmanp::runtime {

struct Access {
  static const Weights& weights(const Model& model) { return *model.weights_; }
  static Model model(std::shared_ptr<const Weights> weights) { return Model(std::move(weights)); }

  static Context context(std::unique_ptr<ContextEngine> engine);
  static ContextEngine& engine(Context& context) { return *context.engine_; }
  static const ContextEngine& engine(const Context& context) { return *context.engine_; }
};

}  // namespace cmanp::runtime
