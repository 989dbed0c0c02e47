// What a run begins with.
#pragma once

#include <memory>

#include "training/neural_process.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

// The settings' model with its initial weights.
std::shared_ptr<NeuralProcess> fresh_model(const Settings& settings);

// Takes weights from a model file or run folder wherever name and shape agree, and says how many of the parameters
// these are. Between models in relative coordinates, lengths and frequencies are brought from the spacing of one grid
// to that of the other. Throws Error where there are none.
std::int64_t take_weights(NeuralProcess& model, const std::filesystem::path& from);

}  // namespace cmanp::training
