#include "cli/intervals.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/finite.hpp"
#include "base/timestamp.hpp"
#include "files/quote.hpp"
#include "tables/csv_columns.hpp"

namespace cmanp::cli {
namespace {

std::optional<Place> place(std::string_view text) {
  double value = 0;
  if (tables::parse_number(text, value) == std::errc() && std::isfinite(value)) return Place{value, false};
  if (const auto time = base::parse_timestamp(text)) return Place{time->seconds, true};
  return {};
}

}  // namespace

Place parse_place(const std::string& text, const std::string& flag) {
  if (const auto found = place(text)) return *found;
  throw CLI::ValidationError(
      flag, fmt::format("{} is no finite number, and no time such as 2024-05-31T12:30", files::quote(text)));
}

Interval parse_interval(const std::string& text, const std::string& flag) {
  // Times have colons as well: the one that has a place on either side of it is meant.
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const auto from = place(std::string_view(text).substr(0, colon)),
               to = place(std::string_view(text).substr(colon + 1));
    if (!from || !to) continue;
    if (from->at < to->at && std::isfinite(to->at - from->at)) return {from->at, to->at};
    throw CLI::ValidationError(flag, fmt::format("{} has no width: the first must be below the second", text));
  }
  throw CLI::ValidationError(flag, fmt::format("{} is not FROM:TO, such as 0:3600", files::quote(text)));
}

CLI::Option* add_intervals(CLI::App* verb, const std::string& flag, std::vector<Interval>& intervals,
                           const std::string& description) {
  return verb
      ->add_option_function<std::vector<std::string>>(
          flag,
          [&intervals, flag](const std::vector<std::string>& texts) {
            intervals.clear();
            for (const std::string& text : texts) intervals.push_back(parse_interval(text, flag));
          },
          description)
      ->type_name("FROM:TO");
}

Units units_between(const std::vector<Interval>& data, const std::vector<Interval>& network, const std::string& flag) {
  if (data.size() != 1 && data.size() != network.size()) {
    throw Error(fmt::format("{}: {} are given, and the model has {} channels", flag, data.size(), network.size()));
  }
  Units units;
  for (std::size_t c = 0; c < network.size(); ++c) {
    const Interval& of_data = data[data.size() == 1 ? 0 : c];
    const double scale = (of_data.high - of_data.low) / (network[c].high - network[c].low);
    const double shift = of_data.low - network[c].low * scale;
    if (!base::positive(scale) || !std::isfinite(shift)) throw Error(flag + ": beyond all numbers");
    units.scale.push_back(scale);
    units.shift.push_back(shift);
  }
  return units;
}

}  // namespace cmanp::cli
