#include "experiments/results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <fstream>
#include <thread>

#include "files/atomic_file.hpp"
#include "files/json.hpp"

namespace cmanp::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A line that is no JSON object is not a result: programs may print others.
std::vector<Json> json_lines(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(fmt::format("{}: cannot be read", path.string()));
  std::vector<Json> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('{')) continue;
    lines.push_back(files::parse_json(line, path.string()));
  }
  return lines;
}

}  // namespace

void note_taken(const fs::path& job_folder, std::size_t command, const Taken& taken) {
  std::ofstream stream(job_folder / "times.jsonl", std::ios::app);
  stream << Json{{"command", command},
                 {"processor_seconds", taken.processor_seconds},
                 {"wall_seconds", taken.wall_seconds},
                 {"megabytes", taken.megabytes}}
                .dump()
         << '\n';
}

void note_failure(const fs::path& job_folder, const std::string& why) {
  const fs::path path = job_folder / "failed.json";
  if (why.empty()) {
    std::error_code ignored;
    fs::remove(path, ignored);
  } else {
    files::write_file(path, Json{{"why", why}}.dump() + "\n");
  }
}

std::optional<std::string> failure_of(const fs::path& job_folder) {
  const fs::path path = job_folder / "failed.json";
  if (!fs::exists(path)) return std::nullopt;
  try {
    return files::read_json(path).at("why").get<std::string>();
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: is damaged", path.string()));
  }
}

fs::path printed_by(const fs::path& job_folder, std::size_t command) {
  return job_folder / fmt::format("{}.out", command + 1);
}

void finish(const fs::path& job_folder, std::size_t commands, const std::vector<std::string>& pictures,
            const std::map<std::string, std::string>& data) {
  Json printed = Json::array();
  for (std::size_t i = 0; i < commands; ++i) printed.push_back(json_lines(printed_by(job_folder, i)));
  if (printed.back().empty() && pictures.empty()) {
    throw Error(fmt::format("{}: the last command printed no result", printed_by(job_folder, commands - 1).string()));
  }
  for (const std::string& picture : pictures) {
    if (!fs::exists(job_folder / picture))
      throw Error(fmt::format("{}: was not made", (job_folder / picture).string()));
  }
  files::write_file(job_folder / "result.json",
                    Json{{"machine", machine_name()}, {"data", data}, {"printed", printed}}.dump() + "\n");
}

std::string machine_name() {
  std::ifstream stream("/proc/cpuinfo");
  std::string processor = "an unknown processor";
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("model name")) processor = line.substr(std::min(line.find(':') + 2, line.size()));
  }
  const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return fmt::format("{}, {} cores, {:.0f} GiB", processor, std::thread::hardware_concurrency(), bytes / (1 << 30));
}

bool is_finished(const fs::path& job_folder) {
  std::error_code ignored;
  return fs::exists(job_folder / "result.json", ignored);
}

std::optional<Result> result_of(const fs::path& job_folder) {
  if (!is_finished(job_folder)) return std::nullopt;
  const fs::path path = job_folder / "result.json";
  const Json document = files::read_json(path);
  Result result;
  try {
    result.printed = document.at("printed").get<std::vector<std::vector<Json>>>();
    result.machine = document.value("machine", "");  // earlier folders have none, nor data
    result.data = document.value("data", result.data);
    if (fs::exists(job_folder / "times.jsonl")) {
      for (const Json& line : json_lines(job_folder / "times.jsonl")) {
        result.processor_seconds += line.at("processor_seconds").get<double>();
        result.wall_seconds += line.at("wall_seconds").get<double>();
        if (line.contains("megabytes")) {
          result.megabytes = std::max(result.megabytes.value_or(0), line.at("megabytes").get<double>());
        }
      }
    }
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: is damaged", path.string()));
  }
  return result;
}

std::optional<double> field_anywhere(const Result& result, const std::string& name) {
  for (const auto& lines : result.printed) {
    for (const Json& line : lines) {
      const auto found = line.find(name);
      if (found != line.end() && found->is_number()) return found->get<double>();
    }
  }
  return std::nullopt;
}

}  // namespace cmanp::experiments
