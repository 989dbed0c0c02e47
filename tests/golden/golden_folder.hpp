// The golden fixtures <model>-<task>: models with random weights, and what they answer.
// Those of the task "small" are in the repository, made by tests/training/make_golden.cpp. The others are what the
// public implementation answers; they are found by the environment variable CMANP_GOLDEN or beside the source folder,
// and their tests are skipped without them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace cmanp::testing {

inline std::filesystem::path golden_folder(const std::string& task) {
  if (task == "small") return CMANP_SOURCE_DIR "/tests/golden/data";
  const char* folder = std::getenv("CMANP_GOLDEN");
  return folder ? folder : CMANP_SOURCE_DIR "/../shared/golden";
}

}  // namespace cmanp::testing
