// What is known of a kind of task, in one place: its own settings, how it is made, what models for it look like, how
// they are evaluated, and the units that its data are in. A new kind is a folder of its own and a line in
// all_tasks.cpp.
#pragma once

#include <cmanp/config.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "images/pack.hpp"
#include "training/model_config.hpp"
#include "training/registry.hpp"
#include "training/tasks/task.hpp"
#include "training/trainer/typed_keys.hpp"

namespace cmanp::training {

class NeuralProcess;
struct Settings;

// A kind's own keys. They stand beside the trainer's and the model's, and in Settings::of_task, complete.
struct OwnKeys {
  std::vector<SettingsKey> described;
  // `given` over the defaults; throws Error that names the key.
  std::function<nlohmann::ordered_json(const nlohmann::ordered_json& given)> complete =
      [](const nlohmann::ordered_json& given) { return given; };
};

template <class Own>
OwnKeys own_keys(const KeyTable<Own>& table) {
  return {table.described(),
          [&table](const nlohmann::ordered_json& given) { return table.to_json(table.read(given)); }};
}

// The sets that `cmanp eval` makes. Keys are the kind's own or the trainer's.
struct EvaluationPlan {
  std::vector<std::string> flags;      // keys that may be given
  std::vector<std::string> inherited;  // keys that are otherwise those of a run of the same family
  std::string each;                    // of the flags, the one that may have several values: a set for each
  std::vector<std::string> usual;      // its values where none is given
  std::vector<std::string> told;       // keys that a result begins with; the first is its label
  bool fixed_context = false;          // can have contexts of a given size
};

struct TaskKind {
  std::string name;
  std::string summary;      // for help
  std::string family = {};  // kinds that evaluate each other's models: "pictures"; empty: its own name
  OwnKeys keys = {};
  std::vector<std::string> places = {};  // of its keys, those that name files or folders of this machine

  std::function<std::shared_ptr<const Task>(const Settings&)> make;
  std::function<std::pair<std::int64_t, std::int64_t>(const Settings&)> dimensions;  // dim_x, dim_y
  // How many of dim_x, at their end, are no places but what else is known of a point.
  std::function<std::int64_t(const Settings&)> features = [](const auto&) { return 0; };
  // Of every x, in the units of batches: a model's in relative coordinates, where none is said.
  std::function<Range(const Settings&)> range = [](const auto&) { return Range{-1, 1}; };

  // Gives what `document` leaves open the values published for the task; may look at the data. Settings of a run are
  // complete: they are read without its data.
  std::function<void(Settings&, const nlohmann::ordered_json& document)> fill_in = [](auto&, const auto&) {};
  // Throws Error on settings that make no sense, as far as they can be told without the data.
  std::function<void(const Settings&)> check = [](const auto&) {};
  // The sizes that a model has where nothing else is said.
  std::function<ModelConfig(const Settings&)> model_sizes = [](const auto&) { return ModelConfig(); };
  // What is known beforehand, put into fresh weights: seasons.
  std::function<void(NeuralProcess&, const Settings&)> start = [](auto&, const auto&) {};
  // Makes the data ready to be read, and reports.
  std::function<void(const Settings&, const images::PackEvents&)> prepare = [](const auto&, const auto&) {};
  EvaluationPlan evaluation = {};
  // Named settings over the recipe that learns fastest.
  nlohmann::ordered_json presets = nlohmann::ordered_json::object();

  // From the data's own units to those of batches, for the model file: its user asks and is answered in the former.
  std::function<Normalisation(const Settings&)> units = {};  // none: they are the same
  // What a model for this task knows, for its file and whoever reads it: range of x, noise, …
  std::function<nlohmann::ordered_json(const Settings&)> knows = [](const auto&) {
    return nlohmann::ordered_json::object();
  };

  const std::string& family_name() const { return family.empty() ? name : family; }
  bool has_key(const std::string& key) const;
};

Registry<TaskKind>& task_kinds();

// The kinds that have a key of their own of this name.
std::vector<std::string> kinds_with_key(const std::string& key);

// Those of a task that has none of its own are the identity.
Normalisation units_of(const Settings& settings);

}  // namespace cmanp::training
