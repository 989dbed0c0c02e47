#include "data/usual_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

#include "data/series.hpp"

namespace cmanp::data {
namespace {

constexpr std::size_t kMostRows = 1'000'000;

std::int64_t middle_length(const SeriesSet& set) {
  std::vector<std::size_t> lengths;
  for (const Series& series : set.series) lengths.push_back(series.x.size());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return static_cast<std::int64_t>(*middle);
}

std::string obstacle_to_windows(SeriesSet set) {
  constexpr const char* kInstead = "--horizon takes fewer; forecast --model universal needs no training";
  const WindowPlan plan = usual_plan(set);
  try {
    const Windows windows(std::move(set), plan);
    if (!windows.all(Part::validation).empty()) return {};
    return fmt::format("no series has a value to ask for in the steps of validation ({}), and two before it; {}",
                       plan.horizon * plan.validation_windows, kInstead);
  } catch (const Error& error) {
    return fmt::format("{}; {}", error.what(), kInstead);
  }
}

}  // namespace

WindowPlan usual_plan(const SeriesSet& set) {
  const std::vector<double> seasons = parse_seasons(usual_seasons(set));
  const std::int64_t length = middle_length(set);
  WindowPlan plan;
  plan.step = set.step;
  plan.horizon = seasons.empty() ? std::clamp<std::int64_t>(length / 10, 1, 48)
                                 : static_cast<std::int64_t>(std::lround(seasons.front()));
  const std::int64_t wanted =
      seasons.empty() ? 6 * plan.horizon : static_cast<std::int64_t>(std::lround(2 * seasons.back()));
  plan.window =
      std::clamp<std::int64_t>(std::min<std::int64_t>(wanted, 1024), 2, std::max<std::int64_t>(2, length / 2));
  plan.test_windows = set.series.size() >= 30 ? 1 : std::max<std::int64_t>(1, length / plan.horizon / 10);
  plan.validation_windows = std::max(plan.test_windows, std::min<std::int64_t>(3, length / plan.horizon / 6));
  return plan;
}

std::string obstacle_to_training(const DataTable& table, const Roles& roles) {
  if (table.rows() > kMostRows) return {};
  try {
    SeriesSet set = series_of(table, roles);
    if (set.series.empty()) return "no series has a value";
    return obstacle_to_windows(std::move(set));
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace cmanp::data
