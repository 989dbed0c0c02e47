#include "data/field_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/lower.hpp"
#include "base/missing.hpp"
#include "data/date_order.hpp"
#include "data/decimal.hpp"

namespace cmanp::data {
namespace {

using base::DayOrder;
using base::is_missing;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Without a currency's sign, a percent sign and blanks about the number.
std::string_view bare(std::string_view field) {
  constexpr std::array<std::string_view, 4> kSigns{"$", "€", "£", "%"};
  for (const std::string_view sign : kSigns) {
    if (sign != "%" && field.starts_with(sign)) field.remove_prefix(sign.size());
    if (field.ends_with(sign)) field.remove_suffix(sign.size());
  }
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  return field;
}

// "1,234,567.8" without its commas: groups of three behind the first, which has one to three digits. Empty: not so.
std::string without_groups(std::string_view text, char separator, char point) {
  std::string plain;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) plain += text[at++];
  std::size_t digits = 0, groups = 0;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == separator); ++at) {
    if (text[at] == separator) {
      if (groups == 0 ? digits == 0 || digits > 3 : digits != 3) return {};
      ++groups;
      digits = 0;
    } else {
      plain += text[at];
      ++digits;
    }
  }
  if (groups == 0 || digits != 3) return {};
  if (at == text.size()) return plain;
  if (text[at] != point) return {};
  plain += '.';
  for (++at; at < text.size(); ++at) {
    if (!is_digit(text[at])) return {};
    plain += text[at];
  }
  return plain;
}

bool sounds_like_time(const std::string& name) {
  constexpr std::array<std::string_view, 9> kParts{"time", "date", "epoch", "unix",  "ts",
                                                   "ds",   "when", "day",   "period"};
  const std::string small = base::lower(name);
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return part.size() > 2 ? small.find(part) != std::string::npos : small == part;
  });
}

std::optional<base::Timestamp> parse_code(std::string_view field, TimeCode code) {
  double value = 0;
  if (!parse_decimal(field, value)) return {};
  if (code == TimeCode::seconds || code == TimeCode::milliseconds) {
    return base::Timestamp{value / (code == TimeCode::seconds ? 1 : 1000), true};
  }
  const std::string text(field);
  if (!std::all_of(text.begin(), text.end(), is_digit)) return {};
  if (code == TimeCode::month && text.size() == 6) {
    return base::parse_timestamp(text.substr(0, 4) + "-" + text.substr(4));
  }
  if (code == TimeCode::day && text.size() == 8) {
    return base::parse_timestamp(text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6));
  }
  if (code == TimeCode::short_day && text.size() == 6) {
    return base::parse_timestamp(text.substr(0, 2) + "-" + text.substr(2, 2) + "-" + text.substr(4),
                                 DayOrder::year_first);
  }
  return {};
}

bool parse_bare(std::string_view field, const FieldForm& form, double& value) {
  if (!form.decimal_comma) {
    return parse_decimal(field, value) || parse_decimal(without_groups(field, ',', '.'), value) ||
           parse_decimal(without_groups(field, ' ', '.'), value);
  }
  std::string point(field);
  const std::size_t comma = point.find(',');
  if (comma != std::string::npos) point[comma] = '.';
  // "1.234" is a thousand and more to who writes "3,5".
  const std::string grouped = without_groups(field, '.', ',');
  return parse_decimal(grouped, value) || parse_decimal(without_groups(field, ' ', ','), value) ||
         (grouped.empty() && parse_decimal(point, value));
}

using Fields = std::vector<std::string_view>;

template <class Is>
std::size_t count(const Fields& fields, const Is& is) {
  return static_cast<std::size_t>(std::count_if(fields.begin(), fields.end(), is));
}

std::size_t count_times(const Fields& fields, const FieldForm& form) {
  return count(fields, [&](std::string_view field) { return parse_time(field, form).has_value(); });
}

std::size_t count_numbers(const Fields& fields, const FieldForm& form) {
  double value = 0;
  return count(fields, [&](std::string_view field) { return parse_number(field, form, value); });
}

FieldForm times_of(const Fields& fields) {
  FieldForm form{.type = ColumnType::time};
  // 31.05.24 is of May, unless all say that they begin with the year.
  const bool dotted = std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
    const auto plain = parse_time(field, form), by_year = base::parse_timestamp(field, DayOrder::year_first);
    return plain && by_year && plain->seconds != by_year->seconds;
  });
  if (dotted || count_times(fields, form) < fields.size()) form.order = order_of_dates(fields);
  return form;
}

FieldForm numbers_of(const Fields& fields, bool commas) {
  const FieldForm point{}, comma{.decimal_comma = true};
  const std::size_t by_point = count_numbers(fields, point), by_comma = count_numbers(fields, comma);
  if (by_point != by_comma) return by_point > by_comma ? point : comma;
  const bool has_comma =
      std::any_of(fields.begin(), fields.end(), [](std::string_view f) { return f.find(',') != f.npos; });
  return !commas && has_comma ? comma : point;
}

// 240101, 240102, …: six digits that are days of even steps. Without a name that says so, they are numbers if they are
// as even as these.
bool are_short_days(const Fields& fields, bool named) {
  if (fields.front().size() != 6) return false;
  std::vector<double> seconds;
  for (const std::string_view field : fields) {
    const auto time = parse_code(field, TimeCode::short_day);
    if (!time) return false;
    seconds.push_back(time->seconds);
  }
  const std::vector<double> steps = steps_between(seconds);
  const std::size_t even = commonest(steps);
  if (even == 0 || 10 * even < 9 * steps.size()) return false;
  std::vector<double> as_numbers;
  double before = 0, value = 0;
  for (const std::string_view field : fields) {
    parse_decimal(field, value);
    as_numbers.push_back(value - before);
    before = value;
  }
  return named || even > commonest(std::move(as_numbers));
}

// Whether whole numbers are times. Eight digits that are a day each time, or six that are a month, are hardly anything
// else; seconds only by their name.
TimeCode code_of(const std::string& name, const Fields& fields) {
  constexpr std::size_t kFewest = 5;
  constexpr double kEarliest = 1e8, kLatest = 1e10;  // 1973 and 2286
  const auto all = [&](TimeCode code, double low, double high) {
    return std::all_of(fields.begin(), fields.end(), [&](std::string_view field) {
      double value = 0;
      const auto time = parse_code(field, code);
      return time && parse_decimal(field, value) && value >= low && value < high;
    });
  };
  const bool named = sounds_like_time(name);
  if (fields.size() >= (named ? 1 : kFewest)) {
    if (all(TimeCode::day, 15000000, 25000000)) return TimeCode::day;
    if (all(TimeCode::month, 150000, 220000)) return TimeCode::month;
  }
  if (fields.size() >= kFewest && are_short_days(fields, named)) return TimeCode::short_day;
  if (!named || fields.empty()) return TimeCode::none;
  if (all(TimeCode::seconds, kEarliest, kLatest)) return TimeCode::seconds;
  return all(TimeCode::milliseconds, 1000 * kEarliest, 1000 * kLatest) ? TimeCode::milliseconds : TimeCode::none;
}

Fields present(const std::vector<std::string>& fields) {
  Fields there;
  for (const std::string& field : fields) {
    if (!is_missing(field)) there.emplace_back(field);
  }
  return there;
}

}  // namespace

bool parse_number(std::string_view field, const FieldForm& form, double& value) {
  if (!form.decimal_comma && parse_decimal(field, value)) return true;
  field = bare(field);
  if (field.empty()) return false;
  // (12.3) is -12.3 to accountants.
  if (field.size() > 2 && field.front() == '(' && field.back() == ')') {
    field = bare(field.substr(1, field.size() - 2));
    if (field.empty() || !(is_digit(field.front()) || field.front() == '.') || !parse_bare(field, form, value)) {
      return false;
    }
    value = -value;
    return true;
  }
  return parse_bare(field, form, value);
}

std::optional<base::Timestamp> parse_time(std::string_view field, const FieldForm& form) {
  if (form.code != TimeCode::none) return parse_code(field, form.code);
  return base::parse_timestamp(field, form.order);
}

bool is_ambiguous_date(std::string_view field) {
  const auto reads = [field](DayOrder order) { return base::parse_timestamp(field, order).has_value(); };
  return !reads(DayOrder::unknown) &&
         reads(DayOrder::day_first) + reads(DayOrder::month_first) + reads(DayOrder::year_first) > 1;
}

FieldForm form_of(const std::string& name, const std::vector<std::string>& fields, bool commas, ColumnType type) {
  const Fields there = present(fields);
  if (type == ColumnType::category) return {.type = ColumnType::category};
  if (type == ColumnType::number) return numbers_of(there, commas);
  FieldForm form = times_of(there);
  if (count_times(there, form) == 0) form.code = code_of(name.empty() ? name : "time", there);
  return form;
}

// A few words among numbers are mistakes in the file, and who reads it says where.
FieldForm form_of(const std::string& name, const std::vector<std::string>& fields, bool commas) {
  const Fields there = present(fields);
  const auto nearly_all = [&](std::size_t count) { return 10 * count >= 9 * there.size(); };
  const FieldForm numbers = numbers_of(there, commas);
  if (nearly_all(count_numbers(there, numbers))) {
    const TimeCode code = code_of(name, there);
    return code == TimeCode::none ? numbers : FieldForm{.type = ColumnType::time, .code = code};
  }
  const FieldForm times = times_of(there);
  return nearly_all(count_times(there, times)) ? times : FieldForm{.type = ColumnType::category};
}

}  // namespace cmanp::data
