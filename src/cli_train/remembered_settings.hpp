// The settings that a model file remembers of its training, without the places of another machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cmanp::cli_train {

// All that a model file says of where it comes from; null where it says nothing.
nlohmann::ordered_json remembered_provenance(const std::string& path);

// An empty object where it remembers none of a kind of task that is known here.
nlohmann::ordered_json remembered_settings(const std::string& path);

}  // namespace cmanp::cli_train
