// The settings that a model file remembers of its training, without the places of another machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cmanp::cli_train {

// An empty object where it remembers none of a kind of task that is known here.
nlohmann::ordered_json remembered_settings(const std::string& path);

}  // namespace cmanp::cli_train
