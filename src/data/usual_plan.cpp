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

// Rows of a series in the middle of all that have as many at least; where none has, of all.
std::int64_t middle_length(const SeriesSet& set, std::int64_t least = 0) {
  std::vector<std::size_t> lengths;
  for (const Series& series : set.series) {
    if (std::cmp_greater_equal(series.x.size(), least)) lengths.push_back(series.x.size());
  }
  if (lengths.empty() && least > 0) return middle_length(set);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return static_cast<std::int64_t>(*middle);
}

WindowPlan nothing_said(double step) {
  WindowPlan plan;
  plan.step = step;
  plan.window = plan.horizon = plan.test_windows = plan.validation_windows = 0;
  return plan;
}

std::string obstacle_to_windows(SeriesSet set) {
  constexpr const char* kInstead = "--horizon takes fewer; forecast --model universal needs no training";
  const WindowPlan plan = completed(nothing_said(set.step), set, parse_seasons(usual_seasons(set)));
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

WindowPlan completed(WindowPlan plan, const SeriesSet& set, const std::vector<double>& seasons) {
  if (plan.horizon == 0) {
    plan.horizon = seasons.empty() ? std::clamp<std::int64_t>(middle_length(set) / 10, 1, 48)
                                   : static_cast<std::int64_t>(std::lround(seasons.front()));
  }
  // Series that are left out, as nothing of them is before validation and test, are no reason for shorter windows.
  const std::int64_t parts = plan.parts == "group" ? 0 : 2 * plan.horizon;
  const std::int64_t length = middle_length(set, parts + static_cast<std::int64_t>(kLeastContext) + 1);
  if (plan.window == 0) {
    const auto wanted = seasons.empty() ? 6 * plan.horizon : static_cast<std::int64_t>(std::lround(2 * seasons.back()));
    plan.window =
        std::clamp<std::int64_t>(std::min<std::int64_t>(wanted, 1024), 2, std::max<std::int64_t>(2, length / 2));
  }
  // A long series alone has a tenth of it for each.
  if (plan.test_windows == 0) {
    plan.test_windows = set.series.size() >= 30 ? 1 : std::max<std::int64_t>(1, length / plan.horizon / 10);
  }
  // Some days are unlike others, and widths of bands go by these: three where a series is long enough to spare them.
  if (plan.validation_windows == 0) {
    plan.validation_windows = std::max(plan.test_windows, std::min<std::int64_t>(3, length / plan.horizon / 6));
  }
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
