// How the fields of a column are written: what people and programs write numbers and times as, told by a column as a
// whole, as 1,234 may be a thousand or one, and 05/06/2024 a day of May or of June.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.hpp"

namespace cmanp::data {

enum class ColumnType {
  number,
  time,     // as seconds since 1970
  category  // words; as their number in order of appearance
};

// Times that are written as numbers.
enum class TimeCode {
  none,
  day,           // 20240531
  short_day,     // 240531
  month,         // 202405
  seconds,       // since 1970
  milliseconds,  // since 1970
};

struct FieldForm {
  ColumnType type = ColumnType::number;
  bool decimal_comma = false;  // 3,5 is three and a half; else 1,234 is a thousand and more
  base::DayOrder order = base::DayOrder::unknown;
  TimeCode code = TimeCode::none;
};

// What most of them look like. `commas`: they part columns, and numbers with decimal commas have to be in quotes.
// `name`: a number of seconds looks like any other but for its name.
FieldForm form_of(const std::string& name, const std::vector<std::string>& fields, bool commas);

// The same where the type is told.
FieldForm form_of(const std::string& name, const std::vector<std::string>& fields, bool commas, ColumnType type);

// Numbers may have a percent sign or a currency's, groups of three digits, and parentheses if they are negative. False:
// it is none.
bool parse_number(std::string_view field, const FieldForm& form, double& value);
std::optional<base::Timestamp> parse_time(std::string_view field, const FieldForm& form);

// Whether day, month and year of these dates cannot be told apart: 05/06/2024 or 24-05-06, and all the others are like
// it.
bool is_ambiguous_date(std::string_view field);

}  // namespace cmanp::data
