// A model of the family over raw data: what the lean half's Context and its sample() and score() are to CMANP. It keeps
// all that it observed, and goes through it with every answer.
#pragma once

#include <torch/torch.h>

#include <cmanp/predictor.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "training/export.hpp"

namespace cmanp::training {

class Predictor {
 public:
  explicit Predictor(LoadedModel model);

  // Points are row-major, in the units of the raw data. Refuses what is not finite or too large, and then keeps nothing
  // of the call.
  void observe(std::span<const double> x, std::span<const double> y);
  void reset();  // back to having seen nothing
  std::size_t size() const { return x_.size() / config_.dim_x; }

  // Mean and standard deviation of each target by itself. Models that draw latents or bootstraps draw the same ones
  // every time.
  void predict(std::span<const double> x, std::span<double> mean, std::span<double> std) const;

  NeuralProcess& model() const { return *loaded_.model; }
  const Normalisation& normalisation() const { return loaded_.normalisation; }
  const Config& config() const { return config_; }  // dim_x and dim_y, and no more

  // The context, normalised: x [1, N, dim_x] and y [1, N, dim_y].
  torch::Tensor context_x() const;
  torch::Tensor context_y() const;

 private:
  LoadedModel loaded_;
  Config config_;
  std::vector<double> x_, y_;  // as observed
};

// Draws at all targets, out[draw][target][channel]: in blocks, each of which joins the draw's own context with the y
// drawn for it, at once or as SampleOptions::growth says. Draw s of a seed is the same whatever the number of draws.
void sample(const Predictor& predictor, std::span<const double> x, std::span<double> out, const SampleOptions& options,
            const std::function<void(std::size_t)>& progress);

// The log-likelihood of targets per point, in the units of the raw data. `block` 0 is the model's own way, as
// NeuralProcess::log_likelihood has it; above 0, the chain rule with blocks of so many, each then observed.
Score score(const Predictor& predictor, std::span<const double> x, std::span<const double> y, std::size_t block,
            const std::function<void(std::size_t)>& progress);

}  // namespace cmanp::training
