// Pictures packed before work begins, with a progress bar.
#pragma once

#include "training/trainer/settings.hpp"

namespace cmanp::cli_train {

// Does nothing for tasks without data, and next to nothing where the pack is there.
void prepare_data(const training::Settings& settings);

}  // namespace cmanp::cli_train
