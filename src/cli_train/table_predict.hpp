// cmanp predict by a model of a table with several x: rows that are known and rows that are asked for, in the table's
// own columns and units.
#pragma once

#include <string>

#include "cli/shared_verbs.hpp"

namespace cmanp::cli_train {

// Whether `place`, a run's folder or a model file, is such a model.
bool predicts_rows(const std::string& place);

void predict_rows(const cli::PredictOptions& options);

}  // namespace cmanp::cli_train
