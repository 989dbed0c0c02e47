// A run's metrics as a picture, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cmanp::training {

// Draws training loss and evaluated log-likelihood over steps as a PNG. Throws Error where gnuplot fails.
void draw_learning_curve(const std::filesystem::path& picture, const std::string& title,
                         const std::vector<nlohmann::ordered_json>& metrics);

}  // namespace cmanp::training
