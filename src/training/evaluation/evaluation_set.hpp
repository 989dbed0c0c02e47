// Evaluation sets: batches fixed by task and seed, made once and kept in a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "training/tasks/task.hpp"

namespace cmanp::training {

struct EvaluationSet {
  std::string task;
  std::uint64_t seed = 0;
  std::vector<EvaluationBatch> batches;
};

struct EvaluationSetOptions {
  std::uint64_t seed = 0;
  std::size_t batches = 3000;                      // or as many as the task has
  std::filesystem::path cache = {};                // a folder, made where it is not there; empty: nothing is kept
  std::function<void(std::size_t)> progress = {};  // told the number of batches made
};

// Batch k depends on task, seed and k only: a shorter set is the beginning of a longer one.
EvaluationSet make_evaluation_set(const Task& task, const EvaluationSetOptions& options);

// The same out of the cache where it is there, and kept there where it was not. Throws Error where the cache can not be
// written or a file in it is damaged.
EvaluationSet cached_evaluation_set(const Task& task, const EvaluationSetOptions& options);

// $XDG_CACHE_HOME/cmanp or ~/.cache/cmanp; empty where neither is known.
std::filesystem::path default_cache();

}  // namespace cmanp::training
