// All that decides about a training run on event sequences, one flat list of keys: in a JSON file, as flags, and saved
// beside the results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "events/read_events.hpp"
#include "training/events/event_network.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training::events {

struct EventSettings {
  std::string data, train, validation, test;  // files, separated by commas
  std::string format;
  std::string sequence_column = "sequence", time_column = "time", mark_column = "mark";
  std::string window_from = "first", window_to = "last";  // or numbers
  double train_share = 0.6, validation_share = 0.2;
  std::int64_t split_seed = 0;

  std::string model = "cmhp";
  NetworkShape shape;  // without marks, which the data have

  std::int64_t batch_events = 2048;
  double prefix_share = 1;
  std::int64_t steps = 20000;
  double minutes = 0;  // into which steps are to be fitted when the run begins; 0: they are given
  std::string optimiser = "adam";
  std::string schedule = "cosine";
  double lr = 2e-3;
  std::int64_t warmup = 50;
  double clip = 1;
  double weight_decay = 0;
  double ema = 0.99;
  std::int64_t patience = 0;
  std::int64_t seed = 0;

  std::int64_t log_every = 50;
  std::int64_t eval_every = 200;
  std::int64_t save_every = 1000;
  double save_minutes = 5;
  std::int64_t threads = 0;
  std::string extended;  // see runs/run_files.hpp

  cmanp::events::ReadOptions read_options() const;
  Window window() const;
};

std::vector<SettingsKey> event_settings_keys();

// As the trainer's own: see training/trainer/settings.hpp. What a document leaves open of a model's shape is the
// model's usual.
EventSettings parse_event_settings(const nlohmann::ordered_json& document, const std::string& where);
nlohmann::ordered_json to_json(const EventSettings& settings);
nlohmann::ordered_json parse_event_value(const std::string& key, const std::string& text);
void check_event_run_resumable(const nlohmann::ordered_json& before, const nlohmann::ordered_json& now,
                               const std::string& run);

// The names of the settings' files.
std::vector<std::filesystem::path> file_list(const std::string& names);

}  // namespace cmanp::training::events
