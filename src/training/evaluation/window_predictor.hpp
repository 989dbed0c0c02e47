// A model's answers about windows of a table, in the table's units.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/windows.hpp"
#include "forecasts/forecast.hpp"
#include "training/neural_process.hpp"
#include "training/tasks/table_task.hpp"

namespace cmanp::training {

// Mean and deviation of each target by itself. `progress` is told how many windows are done. A model in relative
// coordinates covers whatever the windows ask for.
std::vector<forecasts::Forecast> predict_windows(NeuralProcess& model, const std::vector<data::Window>& windows,
                                                 const TableUnits& units,
                                                 const std::function<void(std::size_t)>& progress = {});

// Joint draws of each window's targets, in blocks of which each is observed before the next is drawn.
std::vector<forecasts::Paths> draw_windows(NeuralProcess& model, const std::vector<data::Window>& windows,
                                           const TableUnits& units, std::size_t count, std::uint64_t seed);

}  // namespace cmanp::training
