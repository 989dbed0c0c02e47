#include "data/calendar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "data/timestamp.hpp"

namespace cmanp::data {
namespace {

using std::chrono::year_month_day;

constexpr double kDay = 86400;

struct Moment {
  year_month_day date;
  double of_day = 0;

  explicit Moment(double seconds) {
    const double days = std::floor(seconds / kDay);
    date = year_month_day(std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(days))));
    of_day = seconds - kDay * days;
  }

  unsigned day() const { return static_cast<unsigned>(date.day()); }
  double month() const {  // since 1970
    return 12.0 * (static_cast<int>(date.year()) - 1970) + static_cast<unsigned>(date.month()) - 1;
  }
};

unsigned last_day(std::chrono::year_month month) {
  return static_cast<unsigned>(std::chrono::year_month_day_last(month / std::chrono::last).day());
}

std::chrono::year_month month_of(double month) {
  const double year = std::floor(month / 12);
  return std::chrono::year(1970 + static_cast<int>(year)) /
         std::chrono::month(static_cast<unsigned>(month - 12 * year) + 1);
}

bool in_any_calendar(double seconds) { return std::abs(seconds) < 1e11; }  // years of four digits

// The day of the month that all of them have, or have nearly, as the month has no such day; none: they differ.
std::optional<unsigned> common_day(const Values& x) {
  unsigned day = 0;
  double of_day = 0, least = 0, most = 0;
  bool first = true;
  // Two times: the greatest day there is, and whether it is that of all.
  for (const bool counts : {true, false}) {
    for (const double seconds : x) {
      if (std::isnan(seconds)) continue;
      if (!in_any_calendar(seconds)) return {};
      const Moment moment(seconds);
      if (std::exchange(first, false)) {
        of_day = moment.of_day;
        least = most = moment.month();
      }
      if (moment.of_day != of_day) return {};
      if (counts) {
        // Days that differ are the last of their months, or there is none in common: most tables end here.
        if (day != 0 && moment.day() != day && std::min(moment.day(), day) < 28) return {};
        day = std::max(day, moment.day());
        least = std::min(least, moment.month());
        most = std::max(most, moment.month());
      } else if (moment.day() != std::min(day, last_day(moment.date.year() / moment.date.month()))) {
        return {};
      }
    }
  }
  if (first || least == most) return {};
  return day;
}

std::string counted(double count, const char* unit) {
  return fmt::format("{:g} {}{}", count, unit, count == 1 ? "" : "s");
}

// Hours have days and weeks, days have weeks.
std::string seasons_of_seconds(double seconds) {
  constexpr std::pair<double, const char*> kUsual[] = {
      {60, "1440"}, {300, "288,2016"}, {600, "144,1008"}, {900, "96,672"},   {1800, "48,336"}, {3600, "24,168"},
      {kDay, "7"},  {7 * kDay, "52"},  {30 * kDay, "12"}, {31 * kDay, "12"}, {91 * kDay, "4"}, {92 * kDay, "4"}};
  for (const auto& [step, seasons] : kUsual) {
    if (std::abs(seconds - step) < 1e-6 * step) return seasons;
  }
  return {};
}

// All different values, ascending; none where one is no year, or there are more than a table of months can have. The
// table may be larger than memory.
std::vector<double> years_in(const Values& x) {
  constexpr double kFirst = 1000, kLast = 3000;
  constexpr auto kMost = static_cast<std::size_t>(12 * (kLast - kFirst));
  std::set<double> years;
  double before = std::numeric_limits<double>::quiet_NaN();
  for (const double value : x) {
    if (std::isnan(value) || value == before) continue;
    before = value;
    if (value < kFirst || value > kLast || (years.insert(value).second && years.size() > kMost)) return {};
  }
  return {years.begin(), years.end()};
}

}  // namespace

// 1949.08 is rounded, and 1958.2027 the middle of a month: a sixth of one this way or that.
void Calendar::look_for_years(const Values& x) {
  constexpr double kMostOff = 1.0 / 6;
  const std::vector<double> years = years_in(x);
  if (years.size() < 4) return;
  for (const double a_year : {4.0, 12.0}) {
    const double offset = a_year * years.front() - std::floor(a_year * years.front());
    std::size_t neighbours = 0;
    const bool fits = std::all_of(years.begin(), years.end(), [&](double year) {
      const double place = a_year * year - offset;
      return std::abs(place - std::round(place)) <= kMostOff;
    });
    for (std::size_t i = 1; fits && i < years.size(); ++i) {
      neighbours += std::round(a_year * (years[i] - years[i - 1])) == 1 ? 1 : 0;
    }
    if (2 * neighbours < years.size()) continue;
    a_year_ = a_year;
    offset_ = offset > 1 - kMostOff ? 0 : offset < kMostOff ? 0 : offset;
    return;
  }
}

Calendar::Calendar(const Column& x) {
  if (x.type == ColumnType::number) look_for_years(x.values);
  if (x.type != ColumnType::time) return;
  kind_ = Kind::seconds;
  midnight_ = std::all_of(x.values.begin(), x.values.end(),
                          [](double seconds) { return std::isnan(seconds) || std::fmod(seconds, kDay) == 0; });
  const std::optional<unsigned> day = common_day(x.values);
  if (!day) return;
  kind_ = Kind::months;
  day_ = *day;
  const auto some = std::find_if(x.values.begin(), x.values.end(), [](double seconds) { return !std::isnan(seconds); });
  of_day_ = Moment(*some).of_day;
}

double Calendar::place(double value) const {
  if (a_year_ > 0) return (std::round(a_year_ * value - offset_) + offset_) / a_year_;
  return kind_ == Kind::months && in_any_calendar(value) ? Moment(value).month() : value;
}

double Calendar::seconds_at(double month) const {
  const auto start = [this](double whole) {
    const std::chrono::year_month date = month_of(whole);
    const year_month_day day = date / std::chrono::day(std::min(day_, last_day(date)));
    return kDay * static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count()) + of_day_;
  };
  const double whole = std::floor(month + 1e-6), rest = month - whole;
  return std::abs(rest) < 1e-6 ? start(whole) : start(whole) + rest * (start(whole + 1) - start(whole));
}

std::string Calendar::shown(double place) const {
  constexpr double kMostMonths = 1e5;
  if (kind_ == Kind::numbers || (kind_ == Kind::months && !(std::abs(place) < kMostMonths))) {
    return fmt::format("{}", place);
  }
  return format_timestamp(kind_ == Kind::months ? seconds_at(place) : place);
}

std::string Calendar::shown_shortly(double place) const {
  std::string text = shown(place);
  const std::size_t clock = midnight_ && times() ? text.find("T00:00:00Z") : std::string::npos;
  return clock == std::string::npos ? text : text.substr(0, clock);
}

std::string Calendar::shown_step(double step) const {
  if (kind_ == Kind::numbers) return fmt::format("{:g}", step);
  if (kind_ == Kind::months) return std::fmod(step, 12) == 0 ? counted(step / 12, "year") : counted(step, "month");
  constexpr std::pair<double, const char*> kUnits[] = {{kDay, "day"}, {3600, "hour"}, {60, "minute"}};
  for (const auto& [unit, name] : kUnits) {
    if (step >= unit && std::fmod(step, unit) == 0) return counted(step / unit, name);
  }
  return counted(step, "second");
}

std::string Calendar::usual_seasons(double step) const {
  if (kind_ == Kind::months) return step == 1 ? "12" : step == 3 ? "4" : "";
  if (a_year_ > 0) return std::abs(a_year_ * step - 1) < 1e-6 ? fmt::format("{}", a_year_) : "";
  return kind_ == Kind::seconds ? seasons_of_seconds(step) : "";
}

}  // namespace cmanp::data
