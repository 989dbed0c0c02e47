// A run's metrics as a picture, drawn by gnuplot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cmanp::runs {

// Draws training loss and evaluated log-likelihood over steps as a PNG. Throws Error where gnuplot fails.
void draw_learning_curve(const std::filesystem::path& picture, const std::string& title,
                         const std::vector<nlohmann::ordered_json>& metrics);

// The same of a run's metrics up to a step, into its folder. What is in the way is told to `note`: a picture is not
// worth a run.
void draw_run(const std::filesystem::path& run, const std::string& title, std::int64_t step,
              const std::function<void(const std::string&)>& note);

}  // namespace cmanp::runs
