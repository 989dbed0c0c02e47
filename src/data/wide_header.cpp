#include "data/wide_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/missing.hpp"
#include "data/field_form.hpp"
#include "data/timestamp.hpp"

namespace cmanp::data {
namespace {

constexpr std::size_t kFewestTimes = 4;
constexpr std::size_t kFewestSteps = 24;

// 1960, and "1960 [YR1960]" as the World Bank has it; 0: no year.
int year_of(std::string_view name) {
  int year = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), year);
  const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
  const bool is_year = error == std::errc() && end - name.data() == 4 && year >= 1000 && year <= 3000;
  return is_year && (rest.empty() || rest == fmt::format(" [YR{}]", year)) ? year : 0;
}

// The number behind "d_"; -1: there is none.
long step_of(std::string_view name, std::string& prefix) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  prefix = name.substr(0, digits);
  long step = -1;
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), step);
  return error == std::errc() && digits > 0 ? step : -1;
}

// Where the columns at the end begin whose names `place` takes for ascending numbers.
template <class Place>
std::size_t begin_of(const std::vector<std::string_view>& header, const Place& place) {
  std::size_t begin = header.size();
  while (begin > 0 && place(begin - 1) && (begin == header.size() || *place(begin - 1) < *place(begin))) --begin;
  return begin;
}

struct Times {
  std::string name;
  std::size_t begin = 0;
  std::vector<std::string> places = {};
};

Times years_in(const std::vector<std::string_view>& header) {
  Times years{"year"};
  years.begin = begin_of(header, [&](std::size_t i) {
    const int year = year_of(header[i]);
    return year == 0 ? std::optional<int>() : year;
  });
  for (std::size_t i = years.begin; i < header.size(); ++i) {
    years.places.push_back(fmt::format("{}", year_of(header[i])));
  }
  return years;
}

// The times at the end of the header that ascend, read in one order.
Times dates_in(const std::vector<std::string_view>& header, const FieldForm& form) {
  const auto time = [&](std::size_t i) {
    const auto parsed = parse_time(header[i], form);
    return parsed ? std::optional<double>(parsed->seconds) : std::nullopt;
  };
  Times dates{"time", begin_of(header, time)};
  for (std::size_t i = dates.begin; i < header.size(); ++i) dates.places.push_back(format_timestamp(*time(i)));
  return dates;
}

// Days of which it is open whether the month comes first, or the year, are told by all of them.
Times dates_in(const std::vector<std::string_view>& header) {
  using base::DayOrder;
  Times dates{"time", header.size()};
  const auto take_longer = [&](const FieldForm& form) {
    Times found = dates_in(header, form);
    if (found.begin < dates.begin) dates = std::move(found);
  };
  for (const DayOrder order : {DayOrder::unknown, DayOrder::month_first, DayOrder::day_first, DayOrder::year_first}) {
    take_longer({.type = ColumnType::time, .order = order});
  }
  const std::vector<std::string> all(header.begin() + static_cast<std::ptrdiff_t>(dates.begin), header.end());
  const FieldForm told = form_of(dates.name, all, false, ColumnType::time);
  if (told.order == DayOrder::unknown || all.empty()) return dates;
  Times found = dates_in(header, told);
  return found.begin == dates.begin ? found : dates;
}

Times steps_in(const std::vector<std::string_view>& header) {
  Times steps{"step"};
  std::string last, prefix;
  step_of(header.back(), last);
  // V1, V2, …: the first is the series' name.
  steps.begin = std::max<std::size_t>(1, begin_of(header, [&](std::size_t i) {
                                        const long step = step_of(header[i], prefix);
                                        return step < 0 || prefix != last ? std::optional<long>() : step;
                                      }));
  for (std::size_t i = steps.begin; i < header.size(); ++i) {
    steps.places.push_back(fmt::format("{}", step_of(header[i], prefix)));
  }
  return steps;
}

bool begins_with_word(std::string_view line) {
  while (!line.empty() && (line.front() == '"' || line.front() == ' ')) line.remove_prefix(1);
  return !line.empty() && std::isalpha(static_cast<unsigned char>(line.front())) != 0;
}

}  // namespace

std::vector<std::string> WideHeader::leading_fields(const std::vector<std::string_view>& row) const {
  std::vector<std::string> fields(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(leading));
  if (!series) return fields;
  std::string all;
  double number = 0;
  for (std::size_t i = 0; i < leading; ++i) {
    // Where a place lies, and how high, is no part of its name.
    if (base::is_missing(row[i]) || parse_number(row[i], {}, number)) continue;
    all += (all.empty() ? "" : ", ") + std::string(row[i]);
  }
  fields.push_back(std::move(all));
  return fields;
}

std::optional<WideHeader> find_wide(const std::vector<std::string_view>& all, std::string_view next_line) {
  std::vector<std::string_view> header = all;
  while (!header.empty() && header.back().empty()) header.pop_back();  // a delimiter at the line's end
  if (header.size() < 2) return {};
  Times times = years_in(header);
  if (Times dates = dates_in(header); dates.places.size() > times.places.size()) times = std::move(dates);
  if (times.places.size() < kFewestTimes) {
    times = steps_in(header);
    if (times.places.size() < kFewestSteps || !begins_with_word(next_line)) return {};
  }
  if (times.begin == 0) return {};
  WideHeader wide;
  wide.leading = times.begin;
  wide.series = wide.leading > 1;
  wide.first = header[times.begin];
  wide.last = header.back();
  wide.places = std::move(times.places);
  wide.names.assign(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(wide.leading));
  const auto add = [&](std::string name) {
    while (std::find(wide.names.begin(), wide.names.end(), name) != wide.names.end()) name += '_';
    wide.names.push_back(std::move(name));
  };
  if (wide.series) add("series");
  add(times.name);
  add("value");
  return wide;
}

}  // namespace cmanp::data
