// cmanp forecast by a model that works in frames; all others are the training half's.
#include <fmt/format.h>

#include "cli/table_forecasts.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {

void add_forecast(CLI::App& app) {
  add_forecast_verb(app, [](const TableForecastOptions& options) {
    if (!works_in_frames(options.model)) throw HandOver{fmt::format("a forecast by {}", options.model)};
    forecast_in_frames(options);
  });
}

}  // namespace cmanp::cli
