// Times as ISO 8601 writes them: 2024-05-31, 2024-05-31T12:30, 2024-05-31 12:30:15.25, with Z or an offset such as
// +02:00 behind it. And two more that can be nothing else: with slashes, 2024/05/31, and with the month's name or its
// first three letters, May 31 2024, 31 May 2024, 31-May-2024, May 2024. As seconds since 1970-01-01 00:00 UTC; a time
// without a zone is taken for UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cmanp::base {

struct Timestamp {
  double seconds = 0;
  bool zoned = false;  // the text names its zone
};

// None where the text is no such time.
std::optional<Timestamp> parse_timestamp(std::string_view text);

// "2024-05-31T12:30:15Z"; with fractions of a second where there are any, to the microsecond.
std::string format_timestamp(double seconds);

}  // namespace cmanp::base
