#include "data/date_order.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace cmanp::data {
namespace {

using base::DayOrder;

constexpr double kSecondsADay = 86400;

// What dates are when they are read in one order.
struct Reading {
  DayOrder order;
  std::size_t count = 0;    // of what can be read
  std::size_t even = 0;     // steps that are the commonest
  bool one_way = false;     // none lies before the one before it, or none behind it
  bool odd_yearly = false;  // all are of one day of the year, and of none that a year, or a month, begins or ends with
};

bool is_odd_yearly(const std::vector<double>& seconds) {
  using std::chrono::year_month_day;
  const auto date = [](double second) {
    const auto day = static_cast<std::int64_t>(std::floor(second / kSecondsADay));
    return year_month_day(std::chrono::sys_days(std::chrono::days(day)));
  };
  if (seconds.empty()) return false;
  const year_month_day first = date(seconds.front());
  const bool next_is_another_month = date(seconds.front() + kSecondsADay).month() != first.month();
  if (first.day() == std::chrono::day(1) || next_is_another_month) return false;
  return std::all_of(seconds.begin(), seconds.end(), [&](double second) {
    return date(second).month() == first.month() && date(second).day() == first.day();
  });
}

Reading reading_of(const std::vector<std::string_view>& fields, DayOrder order) {
  std::vector<double> seconds;
  for (const std::string_view field : fields) {
    if (const auto time = base::parse_timestamp(field, order)) seconds.push_back(time->seconds);
  }
  const std::vector<double> steps = steps_between(seconds);
  const auto is_all = [&](const auto& is) { return std::all_of(steps.begin(), steps.end(), is); };
  Reading reading{order, seconds.size()};
  reading.even = commonest(steps);
  reading.one_way = is_all([](double step) { return step > 0; }) || is_all([](double step) { return step < 0; });
  reading.odd_yearly = is_odd_yearly(seconds);
  return reading;
}

}  // namespace

std::vector<double> steps_between(const std::vector<double>& seconds) {
  constexpr double kAMonth = 30.4369 * kSecondsADay;
  std::vector<double> steps;
  for (std::size_t i = 1; i < seconds.size(); ++i) {
    const double step = seconds[i] - seconds[i - 1];
    // Months are larger than any number of seconds that is not rounded.
    if (step != 0) steps.push_back(std::abs(step) < 27 * kSecondsADay ? step : 1e8 * std::round(step / kAMonth));
  }
  return steps;
}

std::size_t commonest(std::vector<double> steps) {
  std::sort(steps.begin(), steps.end());
  std::size_t most = 0, same = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    same = i > 0 && steps[i] == steps[i - 1] ? same + 1 : 1;
    most = std::max(most, same);
  }
  return most;
}

DayOrder order_of_dates(const std::vector<std::string_view>& fields) {
  std::vector<Reading> left;
  for (const DayOrder order : {DayOrder::day_first, DayOrder::month_first, DayOrder::year_first}) {
    left.push_back(reading_of(fields, order));
  }
  const auto keep_most = [&](const auto& score) {
    const auto best = score(*std::max_element(left.begin(), left.end(),
                                              [&](const Reading& a, const Reading& b) { return score(a) < score(b); }));
    std::erase_if(left, [&](const Reading& reading) { return score(reading) < best; });
  };
  keep_most([](const Reading& reading) { return reading.count; });
  keep_most([](const Reading& reading) { return reading.even; });
  keep_most([](const Reading& reading) { return reading.one_way ? 1 : 0; });
  const bool or_years = left.size() == 2 && left.back().order == DayOrder::year_first;
  if (or_years) keep_most([](const Reading& reading) { return reading.odd_yearly ? 0 : 1; });
  return left.size() == 1 ? left.front().order : DayOrder::unknown;
}

}  // namespace cmanp::data
