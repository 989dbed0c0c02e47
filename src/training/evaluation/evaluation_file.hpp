// An evaluation set as a safetensors file: the points of all batches in a row, and the sizes that cut them.
#pragma once

#include <filesystem>
#include <optional>

#include "training/evaluation/evaluation_set.hpp"

namespace cmanp::training {

void write_evaluation_file(const std::filesystem::path& path, const EvaluationSet& set);

// Nothing where the file was made by another version of the sampling; throws Error where it is damaged or is of another
// set.
std::optional<EvaluationSet> read_evaluation_file(const std::filesystem::path& path, const Task& task,
                                                  std::uint64_t seed, std::size_t batches);

}  // namespace cmanp::training
