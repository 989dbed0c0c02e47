// All that decides about a training run, one flat list of keys: in a JSON file, as flags, and saved beside the results.
// The defaults are the published recipe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runs/settings_file.hpp"
#include "training/model_config.hpp"
#include "training/trainer/typed_keys.hpp"

namespace cmanp::training {

class Task;

// Whose weights whoever asks a run is answered by: `keep`. Training itself goes on from the last ones in any case.
inline constexpr const char *kKeepLast = "last", *kKeepBest = "best";

struct Settings {
  std::string task = "gp";
  nlohmann::ordered_json of_task = nlohmann::ordered_json::object();  // the task's own, complete; see TaskKind
  std::int64_t batch = 16;
  std::int64_t max_points = 50;
  std::int64_t max_targets = 0;
  std::int64_t extra_targets = 0;
  bool context_targets = false;
  double t_noise = 0;

  std::string model = "cmanp";
  ModelConfig config;  // its keys stand beside the others

  std::string init = "published";
  double init_gain = 0.7;
  double init_sharpness = 2;
  std::string start;

  std::int64_t steps = 100000;
  std::string schedule = "cosine";
  std::string optimiser = "adam";
  double lr = 5e-4;
  std::int64_t warmup = 0;
  double clip = 0;
  double weight_decay = 0;
  bool decoupled_decay = false;
  double ema = 0;
  std::int64_t seed = 0;

  std::int64_t log_every = 200;
  std::int64_t eval_every = 5000;
  std::int64_t eval_batches = 100;
  std::int64_t patience = 0;
  std::string keep = kKeepLast;
  std::int64_t save_every = 1000;
  double save_minutes = 5;
  std::int64_t threads = 0;
  std::int64_t context_chunk = 0;
  std::string extended;  // see runs/run_files.hpp

  // Where what is made of the data is kept, such as packs of pictures; empty: the user's own cache. No key: it says
  // nothing about the run.
  std::filesystem::path cache = {};
  // Context points of every task of an evaluation set; 0: as the task draws them. No key either.
  std::int64_t context = 0;
};

// Every key: the trainer's, each task's own, each model's own.
std::vector<SettingsKey> settings_keys();

// The names of presets, and the keys that one sets for a model and, where it is named, a task.
std::vector<std::string> preset_names();
nlohmann::ordered_json preset(const std::string& name, const std::string& model, const std::string& task = "");

// Settings out of a document over the defaults, checked. `where` (a file, "--lr") begins every message. Throws Error
// on an unknown key, with the nearest known one, a wrong type, a number out of bounds, and keys that contradict each
// other.
Settings parse_settings(const nlohmann::ordered_json& document, const std::string& where);
nlohmann::ordered_json to_json(const Settings& settings);

// One key's value from text, typed as the key asks; throws Error.
nlohmann::ordered_json parse_value(const std::string& key, const std::string& text);

using runs::read_settings_file;
using runs::write_settings_file;

// Throws Error where a run with settings `before` cannot go on with `now`: only how often it reports and saves, its
// threads and its chunks of context may change.
void check_resumable(const nlohmann::ordered_json& before, const nlohmann::ordered_json& now, const std::string& run);

std::shared_ptr<const Task> make_task(const Settings& settings);

}  // namespace cmanp::training
