// A transformer model is a trunk, which encodes targets given a context, and a head, which answers with a distribution.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>

#include "training/model_config.hpp"
#include "training/random_source.hpp"

namespace cmanp::training {

enum class Mode { training, evaluation };

class Trunk {
 public:
  virtual ~Trunk() = default;

  // Encoded targets [B, M, d_model].
  virtual torch::Tensor encode(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                               Mode mode) = 0;

  // Encoded context and targets [B, N + M, d_model], for training; undefined where a trunk's context has no answers.
  virtual torch::Tensor encode_all(const torch::Tensor& /*xc*/, const torch::Tensor& /*yc*/,
                                   const torch::Tensor& /*xt*/) {
    return {};
  }
  virtual bool accepts_empty_context() const { return false; }

  // Before every training step: what the trunk draws anew for it.
  virtual void start_step(RandomSource& /*random*/) {}

  // Context points as tokens [B, N, d_model]; undefined where the trunk has no such thing.
  virtual torch::Tensor embed(const torch::Tensor& /*x*/, const torch::Tensor& /*y*/) const { return {}; }
};

// Trunks register their parts in the model itself, where the public implementation has them, and read its settings as
// long as both live.
using TrunkMaker = std::function<std::unique_ptr<Trunk>(torch::nn::Module& owner, const ModelConfig& config)>;

template <class T>
std::unique_ptr<Trunk> make_trunk(torch::nn::Module& owner, const ModelConfig& config) {
  return std::make_unique<T>(owner, config);
}

}  // namespace cmanp::training
