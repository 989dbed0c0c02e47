// The states of many sequences as one file: it can only be loaded into the model it was made with.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "events/event_engine.hpp"

namespace cmanp::events {

inline constexpr const char* event_states_format = "cmanp-event-states";
inline constexpr const char* event_states_version = "1";

using SequenceStates = std::map<std::string, SequenceState>;  // by name

// Replaces the file in one step.
void save_states(const std::filesystem::path& path, const EventModel& model, const SequenceStates& states);

std::vector<std::byte> states_bytes(const EventModel& model, const SequenceStates& states);  // what save_states writes

// Throws Error that names the file and what is wrong with it.
SequenceStates load_states(const std::filesystem::path& path, EventEngine& engine);
SequenceStates parse_states(const files::Safetensors& file, EventEngine& engine);

}  // namespace cmanp::events
