// A run's metrics: JSON lines, each with a "step", appended as the run goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace cmanp::runs {

class MetricsFile {
 public:
  // Keeps the lines of steps up to `step`: a resumed run writes those after its checkpoint once more.
  MetricsFile(std::filesystem::path path, std::int64_t step);

  void append(const nlohmann::ordered_json& line);  // throws Error where the disk is full

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

// The lines of a file up to a step; what is not a whole line is left out, as a kill may have cut it short.
std::vector<nlohmann::ordered_json> read_metrics(const std::filesystem::path& path, std::int64_t step);

}  // namespace cmanp::runs
