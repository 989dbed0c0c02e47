// The weights that models in relative coordinates start from: attentions that look at their neighbourhood, each head at
// another distance and by other frequencies, from twice the spacing of the grid up to half its usual extent.
#pragma once

#include <cstdint>

#include "training/neural_process.hpp"

namespace cmanp::training {

void start_relative(NeuralProcess& model, std::uint64_t seed);

}  // namespace cmanp::training
