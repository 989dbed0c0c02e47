#include "runs/progress.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>

namespace cmanp::runs {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> number_or_none(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

std::optional<double> negated(std::optional<double> value) {
  if (value) *value = -*value;
  return value;
}

// Evaluations as they were written: by runs on events, as costs; by others, the last one alone, as the metrics know
// all.
void parse_evaluations(const Json& carried, Progress& progress) {
  if (carried.contains("nll")) {
    progress.log_likelihood = negated(number_or_none(carried["nll"]));
    progress.best_log_likelihood = negated(number_or_none(carried.at("best_nll")));
    if (progress.log_likelihood) progress.evaluated_step = progress.step;
  } else {
    progress.log_likelihood = number_or_none(carried.at("log_likelihood"));
    if (!carried.contains("best_log_likelihood")) return;
    progress.best_log_likelihood = number_or_none(carried["best_log_likelihood"]);
    progress.evaluated_step = carried.at("evaluated_step").get<std::int64_t>();
  }
  progress.best_step = carried.at("best_step").get<std::int64_t>();
  progress.without_gain = carried.at("without_gain").get<std::int64_t>();
}

}  // namespace

void Progress::add_loss(double of_step) {
  loss_sum += of_step;
  loss = loss_sum / static_cast<double>(++loss_count);
}

void Progress::begin_mean() {
  loss_sum = 0;
  loss_count = 0;
}

bool Progress::add_evaluation(std::int64_t at, double result) {
  log_likelihood = result;
  evaluated_step = at;
  const bool best = !std::isnan(result) && (!best_log_likelihood || result > *best_log_likelihood);
  if (best) {
    best_log_likelihood = result;
    best_step = at;
    without_gain = 0;
  } else {
    ++without_gain;
  }
  return best;
}

Json to_json(const Progress& progress) {
  return {{"loss_sum", progress.loss_sum},
          {"loss_count", progress.loss_count},
          {"loss", progress.loss},
          {"log_likelihood", or_null(progress.log_likelihood)},
          {"best_log_likelihood", or_null(progress.best_log_likelihood)},
          {"best_step", progress.best_step},
          {"evaluated_step", progress.evaluated_step},
          {"without_gain", progress.without_gain}};
}

Progress parse_progress(const RunState& state, const std::string& where) {
  Progress progress;
  progress.step = state.step;
  try {
    const Json& carried = state.progress;
    progress.loss_sum = carried.at("loss_sum").get<double>();
    progress.loss_count = carried.at("loss_count").get<std::int64_t>();
    progress.loss = carried.at("loss").get<double>();
    parse_evaluations(carried, progress);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
  return progress;
}

}  // namespace cmanp::runs
