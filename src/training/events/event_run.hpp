// What belongs to a run on event sequences beside its training: its data, its domain, its trained model.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "events/cmhp_config.hpp"
#include "runs/run_files.hpp"
#include "training/events/event_network.hpp"
#include "training/events/settings.hpp"

namespace cmanp::training::events {

struct EventParts {
  std::vector<Sequence> train, validation, test;
  std::vector<std::string> mark_names;
  std::vector<std::string> remarks = {};  // of the files: what somebody may want to know
};

// Reads the settings' files and splits them; throws Error where the train or validation part is empty.
// `known_marks`, where not empty, are all that there may be.
EventParts load_parts(const EventSettings& settings, const std::vector<std::string>& known_marks = {});

// What the model is told of the training part.
EventDomain fit_domain(const EventParts& parts, const EventSettings& settings);

// The best weights of a run, as its folder holds them beside the checkpoints: "best.safetensors".
struct TrainedEvents {
  std::shared_ptr<EventNetwork> network;
  EventSettings settings;
  EventDomain domain;
  std::int64_t step = 0;
  double validation_nll = 0;  // per event
};

void save_best(const std::filesystem::path& run, const TrainedEvents& best);
TrainedEvents load_best(const std::filesystem::path& run);

// Older runs could end by their processor time instead of their steps. Such a run's steps, by the time that
// those it has taken took; it must have taken some.
bool ends_by_time(const runs::RunState& state);
std::int64_t steps_by_time(const runs::RunState& state);

// As one file for the lean half; only a cmhp has one.
void export_events(const std::filesystem::path& path, const TrainedEvents& trained, const std::string& provenance);

}  // namespace cmanp::training::events
