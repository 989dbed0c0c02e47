#include "training/initialise.hpp"
#include "training/model_kind.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

std::shared_ptr<NeuralProcess> make_model(const std::string& name, const ModelConfig& config, std::uint64_t seed) {
  validate(name, config);
  const ModelKind& kind = model_kinds().at(name);
  auto model = kind.make(name, config);
  if (kind.initialise) {
    kind.initialise(*model, seed);
  } else {
    initialise(*model, seed, config.distinct_layers);
  }
  return model;
}

}  // namespace cmanp::training
