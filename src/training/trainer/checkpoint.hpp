// Checkpoints: folders "step-<number>" in one folder. Each is written aside, brought to disk and then named, and only
// after that are older ones removed: a kill at any moment leaves a whole one, the one with the highest number.
//
// Nothing of the random generators needs saving: all that a step draws depends on the seed and the step's number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "runs/run_files.hpp"
#include "training/trainer/tensor_file.hpp"

namespace cmanp::training {

// Those of the best evaluation so far, which whoever asks the run is answered by; see Settings::keep.
struct KeptWeights {
  std::int64_t step = 0;
  double log_likelihood = 0;
  NamedTensors weights;  // averaged where the run has an average
};

struct Checkpoint : runs::RunState {
  NamedTensors weights;
  NamedTensors averaged;                     // weights; empty where the run has none
  NamedTensors first_moment, second_moment;  // of Adam, by parameter
  std::optional<KeptWeights> kept = {};
};

// Writes it and removes older ones. A failure, such as a full disk, throws Error and leaves the older ones.
void save_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// Replaces those of a checkpoint that is there, in one step: an evaluation may end after its step was saved.
void save_kept(const std::filesystem::path& checkpoint, const KeptWeights& kept);

// Throws Error that names the file and what is wrong with it.
Checkpoint load_checkpoint(const std::filesystem::path& checkpoint);

}  // namespace cmanp::training
