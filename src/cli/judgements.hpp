// Measures of predictions as people and programs read them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "measures/judgement.hpp"

namespace cmanp::cli {

// Without the log-likelihood: {"rmse": {"value", "standard_error"}, …, "bands": […], "pit": […]}.
nlohmann::ordered_json json_of(const measures::Judgement& judgement);

// The same as columns of one row of CSV, each beginning with a comma.
std::string csv_names();
std::string csv_values(const measures::Judgement& judgement);

// A measure a line, with its standard error.
std::string table_of(const measures::Judgement& judgement);

}  // namespace cmanp::cli
