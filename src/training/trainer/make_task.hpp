// From settings to the task they ask for. Settings of a run are complete: they are read without its data.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "images/datasets/source.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {

bool is_image_task(const std::string& task);

// Gives what `document` leaves open the values published for the task and the pictures' resolution; looks at the data
// where they have to say that.
void fill_in_task(Settings& settings, const nlohmann::ordered_json& document);

// Throws Error on task settings that make no sense, as far as they can be told without the data.
void check_task(const Settings& settings);

std::pair<double, double> task_range(const Settings& settings);  // of every x

// Whether the task knows what the model's loss is to be on the average (exact_loss).
bool knows_truth(const Settings& settings);

std::pair<std::int64_t, std::int64_t> task_dimensions(const Settings& settings);  // dim_x, dim_y

// The task whose published model settings apply: "gp", "wheel", "emnist" (grey) or "celeba" (colour).
std::string published_task(const Settings& settings);

images::DataOptions data_options(const Settings& settings);

}  // namespace cmanp::training
