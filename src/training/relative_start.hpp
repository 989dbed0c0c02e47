// The weights that models in relative coordinates start from: attentions that look at their neighbourhood, each head at
// another distance and by other frequencies, from twice the spacing of the grid up to half its usual extent.
#pragma once

#include <cstdint>
#include <vector>

#include "training/neural_process.hpp"

namespace cmanp::training {

void start_relative(NeuralProcess& model, std::uint64_t seed);

// Of every attention: how far its heads look, and the frequencies (turns a unit of x) of each, where more is known of
// the data. Heads' lengths lie between the two by equal ratios.
void set_scales(NeuralProcess& model, double shortest, double longest, const std::vector<double>& frequencies);

}  // namespace cmanp::training
