#include <cmanp/error.hpp>

#include "training/initialise.hpp"
#include "training/models/bootstrap_np.hpp"
#include "training/models/cmanp_and.hpp"
#include "training/models/conditional_np.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/models/joint_model.hpp"
#include "training/models/latent_np.hpp"
#include "training/models/perceiver_trunk.hpp"
#include "training/models/tnp_a.hpp"
#include "training/models/tnp_trunk.hpp"
#include "training/relative_start.hpp"

namespace cmanp::training {
namespace {

std::shared_ptr<NeuralProcess> build(const std::string& name, const ModelConfig& config) {
  if (name == "cnp" || name == "canp") return std::make_shared<ConditionalNp>(name, config, name == "canp");
  if (name == "np" || name == "anp") return std::make_shared<LatentNp>(name, config, name == "anp");
  if (name == "bnp" || name == "banp") return std::make_shared<BootstrapNp>(name, config, name == "banp");
  if (name == "tnpd") return std::make_shared<DiagonalModel>(name, config, make_trunk<TnpTrunk>);
  if (name == "tnpnd") return std::make_shared<JointModel>(name, config, make_trunk<TnpTrunk>, false);
  if (name == "tnpa") return std::make_shared<TnpA>(config);
  if (name == "eqtnp") return std::make_shared<DiagonalModel>(name, config, make_trunk<EqtnpTrunk>);
  if (name == "lbanp") return std::make_shared<DiagonalModel>(name, config, make_trunk<LbanpTrunk>);
  if (name == "lbanpnd") return std::make_shared<JointModel>(name, config, make_trunk<LbanpTrunk>, true);
  if (name == "cmanp") return std::make_shared<DiagonalModel>(name, config, make_cmanp_trunk);
  return std::make_shared<CmanpAnd>(config);
}

}  // namespace

std::shared_ptr<NeuralProcess> make_model(const std::string& name, const ModelConfig& config, std::uint64_t seed) {
  validate(name, config);
  auto model = build(name, config);
  initialise(*model, seed, config.distinct_layers);
  if (config.coordinates == Coordinates::relative) start_relative(*model, seed);
  return model;
}

}  // namespace cmanp::training
