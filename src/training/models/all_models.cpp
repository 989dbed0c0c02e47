// The family: a line each.
#include "training/initialise.hpp"
#include "training/model_kind.hpp"
#include "training/models/bootstrap_np.hpp"
#include "training/models/cmanp_and.hpp"
#include "training/models/cmanp_trunk.hpp"
#include "training/models/conditional_np.hpp"
#include "training/models/diagonal_model.hpp"
#include "training/models/joint_model.hpp"
#include "training/models/latent_np.hpp"
#include "training/models/perceiver_trunk.hpp"
#include "training/models/relative_trunk.hpp"
#include "training/models/tnp_a.hpp"
#include "training/models/tnp_trunk.hpp"
#include "training/relative_start.hpp"

namespace cmanp::training {
namespace {

using Made = std::shared_ptr<NeuralProcess>;
using Name = const std::string&;

template <class Model, bool attentive>
Made plain(Name name, const ModelConfig& config) {
  return std::make_shared<Model>(name, config, attentive);
}

template <class Trunk>
Made diagonal(Name name, const ModelConfig& config) {
  return std::make_shared<DiagonalModel>(name, config, make_trunk<Trunk>);
}

template <class Trunk, bool unused_predictor>
Made joint(Name name, const ModelConfig& config) {
  return std::make_shared<JointModel>(name, config, make_trunk<Trunk>, unused_predictor);
}

// In either coordinates.
template <class Absolute, class Relative>
Made placed(Name name, const ModelConfig& config) {
  return std::make_shared<DiagonalModel>(name, config, make_placed_trunk<Absolute, Relative>);
}

// Relative coordinates start from weights of their own.
void start_placed(NeuralProcess& model, std::uint64_t seed) {
  initialise(model, seed, model.config().distinct_layers);
  if (model.config().coordinates == Coordinates::relative) start_relative(model, seed);
}

template <class Model>
Made itself(Name, const ModelConfig& config) {
  return std::make_shared<Model>(config);
}

// Those that keep all points go through them at once, without stored scores of attention: linear, not quadratic as
// published, but for joint covariances.
const MemoryGrowth kPooled{"N", "1", "M", "1", "U"};
const MemoryGrowth kAllPoints{"N", "N", "M", "N", "U"};
const MemoryGrowth kFromLatents{"N", "1", "M", "N", "U"};
const MemoryGrowth kConstant{"1", "1", "M", "1", "1"};

constexpr unsigned kAttentive = kPlain | kCross, kDrawn = kStochastic | kSampled;
constexpr unsigned kReader = kTransformer | kPerceiver, kBottleneck = kReader | kLatents;
constexpr unsigned kCmanp = kBottleneck | kCmab | kPlaced;

std::vector<ModelKind> family() {
  return {
      {.name = "cnp", .make = plain<ConditionalNp, false>, .keys = kPlain, .memory = kPooled},
      {.name = "canp", .make = plain<ConditionalNp, true>, .keys = kAttentive, .memory = kAllPoints},
      {.name = "np", .make = plain<LatentNp, false>, .keys = kPlain | kLatent | kDrawn, .memory = kPooled},
      {.name = "anp", .make = plain<LatentNp, true>, .keys = kAttentive | kLatent | kDrawn, .memory = kAllPoints},
      {.name = "bnp", .make = plain<BootstrapNp, false>, .keys = kPlain | kDrawn, .memory = kFromLatents},
      {.name = "banp", .make = plain<BootstrapNp, true>, .keys = kAttentive | kDrawn, .memory = kAllPoints},
      {.name = "tnpd",
       .make = placed<TnpTrunk, RelativeTnpTrunk>,
       .keys = kTransformer | kPlaced,
       .memory = {"-", "N", "M", "-", "-"},
       .one_normal = true,
       .initialise = start_placed},
      {.name = "tnpnd",
       .make = joint<TnpTrunk, false>,
       .keys = kTransformer | kJoint,
       .memory = {"-", "N", "M^2", "-", "-"},
       .one_normal = true},
      {.name = "tnpa",
       .make = itself<TnpA>,
       .keys = kTransformer | kOrdered | kSampled,
       .memory = {"-", "N", "M", "-", "-"}},
      {.name = "eqtnp",
       .make = diagonal<EqtnpTrunk>,
       .keys = kReader,
       .memory = kAllPoints,
       .inducing_start = true,
       .answers_without_context = true,
       .one_normal = true},
      {.name = "lbanp",
       .make = placed<LbanpTrunk, RelativeLbanpTrunk>,
       .keys = kBottleneck | kPlaced,
       .memory = kFromLatents,
       .inducing_start = true,
       .answers_without_context = true,
       .one_normal = true,
       .initialise = start_placed},
      {.name = "lbanpnd",
       .make = joint<LbanpTrunk, true>,
       .keys = kBottleneck | kJoint,
       .memory = {"N", "1", "M^2", "N", "U"},
       .inducing_start = true,
       .answers_without_context = true,
       .one_normal = true,
       .unused = "predictor."},
      {.name = "cmanp",
       .make = placed<CmanpTrunk, RelativeTrunk>,
       .keys = kCmanp,
       .memory = kConstant,
       .lean = true,
       .inducing_start = true,
       .answers_without_context = true,
       .streams_context = true,
       .one_normal = true,
       .initialise = start_placed},
      {.name = "cmanpand",
       .make = itself<CmanpAnd>,
       .keys = kCmanp | kJoint | kBlocks,
       .memory = {"1", "1", "1", "1", "1"},  // targets in blocks, one after the other
       .lean = true,
       .inducing_start = true,
       .answers_without_context = true,
       .streams_context = true,
       .one_normal = true,
       .unused = "predictor.",
       .initialise = start_placed},
  };
}

}  // namespace

Registry<ModelKind>& model_kinds() {
  static Registry<ModelKind> kinds("model", family());
  return kinds;
}

}  // namespace cmanp::training
