// Checkpoints: folders "step-<number>" in one folder. Each is written aside, brought to disk and then named, and only
// after that are older ones removed: a kill at any moment leaves a whole one, the one with the highest number.
//
// Nothing of the random generators needs saving: all that a step draws depends on the seed and the step's number.
#pragma once

#include <filesystem>

#include "runs/run_files.hpp"
#include "training/trainer/tensor_file.hpp"

namespace cmanp::training {

struct Checkpoint : runs::RunState {
  NamedTensors weights;
  NamedTensors averaged;                     // weights; empty where the run has none
  NamedTensors first_moment, second_moment;  // of Adam, by parameter
};

// Writes it and removes older ones. A failure, such as a full disk, throws Error and leaves the older ones.
void save_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// Throws Error that names the file and what is wrong with it.
Checkpoint load_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace cmanp::training
