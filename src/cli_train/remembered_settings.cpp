#include "cli_train/remembered_settings.hpp"

#include "files/json.hpp"
#include "files/safetensors.hpp"
#include "training/kinds/task_kind.hpp"

namespace cmanp::cli_train {

using nlohmann::ordered_json;

ordered_json remembered_provenance(const std::string& path) {
  const files::Safetensors file = files::Safetensors::open(path);
  const auto entry = file.metadata().find("provenance");
  if (entry == file.metadata().end()) return {};
  return files::try_parse_json(entry->second).value_or(ordered_json());
}

ordered_json remembered_settings(const std::string& path) {
  const ordered_json provenance = remembered_provenance(path);
  const bool known = provenance.is_object() && provenance.contains("settings") && provenance["settings"].is_object() &&
                     provenance["settings"].contains("task") && provenance["settings"]["task"].is_string();
  if (!known) return ordered_json::object();
  ordered_json settings = provenance["settings"];
  const training::TaskKind* kind = training::task_kinds().find(settings["task"].get<std::string>());
  if (kind == nullptr) return ordered_json::object();
  for (const std::string& place : kind->places) settings.erase(place);
  return settings;
}

}  // namespace cmanp::cli_train
