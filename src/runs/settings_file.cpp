#include "runs/settings_file.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

#include "files/atomic_file.hpp"
#include "files/json.hpp"

namespace cmanp::runs {

nlohmann::ordered_json read_settings_file(const std::filesystem::path& path) {
  nlohmann::ordered_json document = files::read_json(path, files::JsonComments::welcome);
  if (!document.is_object()) throw Error(fmt::format("{}: settings must be a JSON object", path.string()));
  return document;
}

void write_settings_file(const std::filesystem::path& path, const nlohmann::ordered_json& settings) {
  files::write_file(path, settings.dump(2) + "\n");
}

}  // namespace cmanp::runs
