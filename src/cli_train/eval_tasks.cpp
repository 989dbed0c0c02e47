#include "cli_train/eval_tasks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "cli_train/prepare_data.hpp"
#include "cli_train/settings_flags.hpp"
#include "training/kinds/task_kind.hpp"

namespace cmanp::cli_train {
namespace {

using nlohmann::ordered_json;
using training::TaskKind;

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The kinds whose evaluation a key decides about.
std::vector<std::string> kinds_of_flag(const std::string& key) {
  std::vector<std::string> names;
  for (const TaskKind& kind : training::task_kinds()) {
    if (has(kind.evaluation.flags, key)) names.push_back(kind.name);
  }
  return names;
}

// "emnist: 0-9, 10-46; celeba, image: all"
std::string usual_values(const std::string& key) {
  std::vector<std::pair<std::string, std::string>> kinds_by_values;
  for (const TaskKind& kind : training::task_kinds()) {
    if (kind.evaluation.each != key) continue;
    const std::string values = fmt::format("{}", fmt::join(kind.evaluation.usual, ", "));
    const auto same = std::find_if(kinds_by_values.begin(), kinds_by_values.end(),
                                   [&](const auto& entry) { return entry.first == values; });
    if (same == kinds_by_values.end()) {
      kinds_by_values.emplace_back(values, kind.name);
    } else {
      same->second += ", " + kind.name;
    }
  }
  std::string text;
  for (const auto& [values, kinds] : kinds_by_values) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kinds, values);
  }
  return text;
}

const TaskKind& kind_by_name(const std::string& name) {
  try {
    return training::task_kinds().at(name);
  } catch (const Error& error) {
    throw CLI::ValidationError("--task", error.what());
  }
}

void check_flag(const TaskKind& kind, const std::string& key) {
  if (has(kind.evaluation.flags, key)) return;
  throw CLI::ValidationError(flag_name(key), fmt::format("is for task {}, but the task is {}; name another by --task",
                                                         fmt::join(kinds_of_flag(key), ", "), kind.name));
}

ordered_json value_of(const std::string& key, const std::string& text) {
  ordered_json document = ordered_json::object();
  update_by_flags(document, {{key, text}}, training::parse_value);
  return document[key];
}

// What a run of the same family hands on.
void inherit(ordered_json& document, const TaskKind& kind, const ordered_json& trained) {
  const TaskKind* theirs = training::task_kinds().find(trained.value("task", ""));
  if (theirs == nullptr || theirs->family_name() != kind.family_name()) return;
  for (const std::string& key : kind.evaluation.inherited) {
    if (trained.contains(key)) document[key] = trained[key];
  }
}

}  // namespace

void add_eval_task_flags(CLI::App* verb, EvalTaskOptions& options) {
  verb->add_option("--task", options.task,
                   fmt::format("One of {} (default: as the model was trained, or gp)",
                               fmt::join(training::task_kinds().names(), ", ")))
      ->type_name("NAME");
  verb->add_option(
          "--context", options.context,
          "Exactly so many context points in every task, of gp and pictures, and targets that do not depend on "
          "it in number (default: drawn)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->type_name("N");
  for (training::SettingsKey key : training::settings_keys()) {
    const std::vector<std::string> kinds = kinds_of_flag(key.name);
    if (kinds.empty()) continue;
    const std::string usual = usual_values(key.name);
    const std::string group = fmt::format("Task {}", fmt::join(kinds, ", "));
    if (usual.empty()) {
      key.value = nullptr;  // as the model was trained
      add_key_flag(verb, key, options.values)->group(group);
    } else {
      verb->add_option(flag_name(key.name), options.lists[key.name],
                       fmt::format("{}; may stand several times (default of {})", key.description, usual))
          ->type_name(key.type)
          ->group(group);
    }
  }
}

std::vector<EvalTask> make_eval_tasks(const EvalTaskOptions& options, const ordered_json& trained,
                                      const std::filesystem::path& cache) {
  const TaskKind& kind = kind_by_name(options.task.empty() ? trained.value("task", "gp") : options.task);
  if (options.context > 0 && !kind.evaluation.fixed_context) {
    throw CLI::ValidationError("--context", fmt::format("task {} has contexts of its own", kind.name));
  }
  ordered_json document{{"task", kind.name}};
  inherit(document, kind, trained);
  for (const auto& [key, text] : options.values) {
    check_flag(kind, key);
    document[key] = value_of(key, text);
  }
  std::vector<std::string> values = kind.evaluation.usual;
  for (const auto& [key, given] : options.lists) {
    if (given.empty()) continue;
    check_flag(kind, key);
    values = given;
  }
  if (kind.evaluation.each.empty()) values = {""};
  std::vector<EvalTask> tasks;
  for (const std::string& value : values) {
    if (!kind.evaluation.each.empty()) document[kind.evaluation.each] = value_of(kind.evaluation.each, value);
    training::Settings settings = training::parse_settings(document, "");
    settings.cache = cache;
    settings.context = options.context;
    prepare_data(settings);
    ordered_json fields{{"task", kind.name}};
    const ordered_json all = to_json(settings);
    for (const std::string& key : kind.evaluation.told) fields[key] = all.at(key);
    if (options.context > 0) fields["context"] = options.context;
    const ordered_json told = kind.evaluation.told.empty() ? ordered_json("") : all.at(kind.evaluation.told.front());
    const std::string label = told.is_string() ? told.get<std::string>() : told.dump();
    tasks.push_back({training::make_task(settings), label, std::move(fields)});
  }
  return tasks;
}

}  // namespace cmanp::cli_train
