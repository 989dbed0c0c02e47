// Moves a model's weights: clipping, Adam, Muon where asked for, averaged weights. All that a run carries of them from
// step to step is here.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/trainer/adam.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/flat_parameters.hpp"
#include "training/trainer/muon.hpp"

namespace cmanp::training {

struct OptimiserSettings {
  bool muon = false;  // Adam, but inner weight matrices are Muon's
  AdamSettings adam;
  double clip = 0;  // largest norm of the gradient; 0: any
  double ema = 0;   // decay of averaged weights; 0: none
};

// Has the averaged weights in the model for as long as it lives, where there are any.
class AveragedWeights {
 public:
  AveragedWeights(const torch::Tensor& values, const torch::Tensor& averaged);
  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;
  ~AveragedWeights();

 private:
  torch::Tensor values_, kept_;
};

class Optimiser {
 public:
  // The model's parameters become views of this one's; see FlatParameters.
  Optimiser(torch::nn::Module& model, const OptimiserSettings& settings);

  // Moves by the gradients that stand there, of this norm. `step` counts from 0.
  void step(double gradient_norm, double rate, std::int64_t step);

  const FlatParameters& parameters() const { return parameters_; }
  void restart_average();  // at the weights of now
  [[nodiscard]] AveragedWeights use_averaged() const { return {parameters_.values(), averaged_}; }

  void save_to(Checkpoint& checkpoint) const;
  void restore(const Checkpoint& checkpoint, const std::string& where);  // throws Error where it is another model's

  // All that is carried from step to step, in place.
  std::vector<torch::Tensor> tensors() const;

 private:
  OptimiserSettings settings_;
  FlatParameters parameters_;
  Adam adam_;
  std::optional<Muon> muon_;
  torch::Tensor averaged_;  // like parameters_.values(); undefined without
};

}  // namespace cmanp::training
