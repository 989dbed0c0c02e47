// Weights in and out of models, by the public PyTorch implementation's parameter names.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "files/safetensors.hpp"
#include "training/neural_process.hpp"

namespace cmanp::training {

// Copies; throws Error that names file and tensor where one is missing, has another shape, holds what is not a finite
// number, or belongs to no model of this configuration. The predictor that LBANP-ND and CMANP-AND never use may be
// absent.
void load_state(NeuralProcess& model, const files::Safetensors& file);

// Copies in float32, in memory of their own.
std::map<std::string, torch::Tensor> to_tensors(const NeuralProcess& model);

}  // namespace cmanp::training
