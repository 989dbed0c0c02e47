// Times as people write them. As ISO 8601 has it: 2024-05-31, 2024-05-31T12:30, 2024-05-31 12:30:15.25, with Z or an
// offset such as +02:00 behind it; 2024-05, 2024-W22. And more that can be nothing else: with slashes or dots,
// 2024/05/31, 31.05.2024; with the month's name or its first three letters, May 31 2024, 31 May 2024, 31-May-24, May
// 2024, 2024 May; quarters and months of offices, 2024Q2, 2024-Q2, Q2 2024, 2024M05. A month, a quarter or a week is
// its first day. Of 05/06/2024 somebody has to say which is the day. Clocks may have AM or PM. As seconds since
// 1970-01-01 00:00 UTC; a time without a zone is taken for UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cmanp::base {

struct Timestamp {
  double seconds = 0;
  bool zoned = false;  // the text names its zone
};

// Which comes first in 05/06/2024, 5-6-2024 or 5/6/24; unknown: such a text is no time. The year, with the month behind
// it, only where it has two digits.
enum class DayOrder { unknown, day_first, month_first, year_first };

// None where the text is no such time.
std::optional<Timestamp> parse_timestamp(std::string_view text, DayOrder order = DayOrder::unknown);

// A clock without a date, 12:30, 12:30:15.25, 12.30.15 or 2:30 PM, as seconds since midnight; 24:00 is the next one.
std::optional<double> parse_time_of_day(std::string_view text);

// "2024-05-31T12:30:15Z"; with fractions of a second where there are any, to the microsecond.
std::string format_timestamp(double seconds);

}  // namespace cmanp::base
