// A model that was trained on a table, from its run or its file, with what it knows of its tables.
#pragma once

#include <memory>
#include <string>

#include "training/kinds/table_data.hpp"
#include "training/neural_process.hpp"

namespace cmanp::cli_train {

struct TableModel {
  std::shared_ptr<training::NeuralProcess> model;
  training::TableKeys keys;  // from a file: without the place of its data
  std::string name;
  std::int64_t step = 0;  // of its training; 0: not known
};

// Throws Error where the model was trained on something else.
TableModel load_table_model(const std::string& place, bool last_weights = false);

}  // namespace cmanp::cli_train
