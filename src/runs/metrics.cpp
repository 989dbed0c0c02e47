#include "runs/metrics.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmanp/error.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "files/atomic_file.hpp"
#include "files/json.hpp"

namespace cmanp::runs {

std::vector<nlohmann::ordered_json> read_metrics(const std::filesystem::path& path, std::int64_t step) {
  std::vector<nlohmann::ordered_json> lines;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  while (std::getline(stream, text)) {
    auto line = files::try_parse_json(text);
    if (!line || !line->is_object() || !line->contains("step") || !(*line)["step"].is_number_integer()) continue;
    if ((*line)["step"].get<std::int64_t>() <= step) lines.push_back(std::move(*line));
  }
  return lines;
}

MetricsFile::MetricsFile(std::filesystem::path path, std::int64_t step) : path_(std::move(path)) {
  std::string kept;
  for (const auto& line : read_metrics(path_, step)) kept += line.dump() + "\n";
  files::write_file(path_, kept);
  stream_.open(path_, std::ios::binary | std::ios::app);
}

void MetricsFile::append(const nlohmann::ordered_json& line) {
  stream_ << line.dump() << '\n' << std::flush;
  if (!stream_) {
    throw Error(fmt::format("cannot write {}: {}", path_.string(), std::generic_category().message(errno)));
  }
}

}  // namespace cmanp::runs
