// cmanp bench compare: what the phases of a model cost in time and memory, as context and targets grow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cmanp::cli_train {

struct CompareOptions {
  std::vector<std::string> models;
  std::string phase = "query";
  std::vector<std::int64_t> points, targets;
  std::vector<std::int64_t> added = {1};  // points of an update
  std::int64_t chunk = 256;               // context points that CMANP takes in at once, b_C; 0: all
  std::int64_t block = 5;                 // targets that CMANP-AND predicts jointly, b_Q
  double seconds = 0.5;
  bool json = false;
  bool here = false;  // one measurement, in this process
};

inline const std::vector<std::string> kPhases = {"condition", "query", "update", "update-slow", "answer"};

// Each measurement in a process of its own, so that none has the memory or the caches of another.
void bench_compare(const CompareOptions& options);

}  // namespace cmanp::cli_train
