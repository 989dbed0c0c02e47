// What is known of a model of the family, in one place: its keys, how it is made, how its memory grows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "training/model_config.hpp"
#include "training/registry.hpp"

namespace cmanp::training {

class NeuralProcess;

// Groups of models that share keys, as bits; model_keys.inc says which keys those are.
enum KeyGroup : unsigned {
  kPlain = 1,
  kLatent = 2,
  kSampled = 4,
  kCross = 8,
  kTransformer = 16,
  kPerceiver = 32,
  kLatents = 64,
  kCmab = 128,
  kJoint = 256,
  kBlocks = 512,
  kOrdered = 1024,
  kStochastic = 2048,
  kPlaced = 4096,     // can know differences of x only
  kEvery = 1U << 31,  // every model's
  kAll = ~0U
};

// How the memory of evaluation grows here with N points of context, M targets and U new points, beside the points
// themselves; "-": has no such phase, a query does it all.
struct MemoryGrowth {
  std::string condition_n;
  std::string query_n, query_m;
  std::string update_n, update_u;
};

struct ModelKind {
  std::string name;
  std::function<std::shared_ptr<NeuralProcess>(const std::string& name, const ModelConfig& config)> make;
  unsigned keys = 0;  // groups, beside kEvery
  MemoryGrowth memory = {};
  bool lean = false;            // the lean half runs it
  bool inducing_start = false;  // its latents can start as points that might be observed
  bool answers_without_context = false;
  bool streams_context = false;  // training takes in a context chunk by chunk
  bool one_normal = false;  // answers with one of each target, or jointly of all, that a loss can be worked out for
  std::string unused = {};  // what the names of tensors begin with that files may lack
  // Fresh weights; none: by the published recipe (initialise.hpp).
  std::function<void(NeuralProcess& model, std::uint64_t seed)> initialise = {};
};

Registry<ModelKind>& model_kinds();

}  // namespace cmanp::training
