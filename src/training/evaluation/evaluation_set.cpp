#include "training/evaluation/evaluation_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <system_error>

#include "files/user_folders.hpp"
#include "training/evaluation/evaluation_file.hpp"

namespace cmanp::training {
namespace {

namespace fs = std::filesystem;

std::size_t batches_of(const Task& task, const EvaluationSetOptions& options) {
  return std::min(options.batches, task.evaluation_batches());
}

}  // namespace

EvaluationSet make_evaluation_set(const Task& task, const EvaluationSetOptions& options) {
  EvaluationSet set{task.name(), options.seed, {}};
  const std::size_t batches = batches_of(task, options);
  set.batches.reserve(batches);
  for (std::size_t k = 0; k < batches; ++k) {
    Random random(options.seed, Stream::evaluation, k);
    set.batches.push_back(task.evaluation_batch(k, random));
    if (options.progress) options.progress(k + 1);
  }
  return set;
}

EvaluationSet cached_evaluation_set(const Task& task, const EvaluationSetOptions& options) {
  if (options.cache.empty()) return make_evaluation_set(task, options);
  std::error_code error;
  fs::create_directories(options.cache, error);
  if (error) {
    throw Error(fmt::format("cannot make folder {} for evaluation sets: {}; choose another one for the cache",
                            options.cache.string(), error.message()));
  }
  const std::size_t batches = batches_of(task, options);
  const fs::path file = options.cache / fmt::format("{}-seed{}-{}.safetensors", task.name(), options.seed, batches);
  if (fs::exists(file, error)) {
    std::optional<EvaluationSet> kept = read_evaluation_file(file, task, options.seed, batches);
    if (kept) return *std::move(kept);
  }
  EvaluationSet set = make_evaluation_set(task, options);
  write_evaluation_file(file, set);
  return set;
}

fs::path default_cache() { return files::user_cache_folder(); }

}  // namespace cmanp::training
