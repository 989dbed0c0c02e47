#include "base/timestamp.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>

namespace cmanp::base {
namespace {

// Reads a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool skip(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly so many digits.
  bool number(std::size_t digits, int& value) {
    if (rest_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return false;
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }

  // One digit or more, so many at most.
  bool digits(std::size_t most, int& value) {
    std::size_t count = 0;
    while (count < most && count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    return count > 0 && number(count, value);
  }

  // The name of a month, or its first three letters.
  bool month(int& value) {
    static constexpr std::string_view kNames[] = {"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};
    std::size_t letters = 0;
    while (letters < rest_.size() && ((rest_[letters] | 0x20) >= 'a' && (rest_[letters] | 0x20) <= 'z')) ++letters;
    for (value = 1; value <= 12; ++value) {
      const std::string_view name = kNames[value - 1];
      if (letters != 3 && letters != name.size()) continue;
      std::size_t same = 0;
      while (same < letters && (rest_[same] | 0x20) == name[same]) ++same;
      if (same < letters) continue;
      rest_.remove_prefix(letters);
      return true;
    }
    return false;
  }

  // The digits behind a decimal point; there is one at least.
  bool fraction(double& value) {
    double unit = 0.1;
    std::size_t digits = 0;
    for (; peek() >= '0' && peek() <= '9'; ++digits, unit /= 10) {
      value += unit * (peek() - '0');
      rest_.remove_prefix(1);
    }
    return digits > 0;
  }

 private:
  std::string_view rest_;
};

// Hours and minutes, and seconds where they follow.
bool parse_clock(Scanner& text, double& seconds) {
  int hour = 0, minute = 0, second = 0;
  double fraction = 0;
  if (!text.number(2, hour) || !text.skip(':') || !text.number(2, minute)) return false;
  if (text.skip(':')) {
    if (!text.number(2, second)) return false;
    if (text.skip('.') || text.skip(',')) {
      if (!text.fraction(fraction)) return false;
    }
  }
  if (hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute > 0 || second > 0))) return false;
  seconds = 3600.0 * hour + 60.0 * minute + second + fraction;
  return true;
}

// Z, +02:00, +0200, +02. Nothing at all is fine, too.
bool parse_zone(Scanner& text, Timestamp& time) {
  if (text.empty()) return true;
  time.zoned = true;
  if (text.skip('Z') || text.skip('z')) return text.empty();
  const bool west = text.peek() == '-';
  if (!text.skip('-') && !text.skip('+')) return false;
  int hours = 0, minutes = 0;
  if (!text.number(2, hours)) return false;
  text.skip(':');
  if (!text.empty() && !text.number(2, minutes)) return false;
  if (hours > 23 || minutes > 59 || !text.empty()) return false;
  const double offset = 3600.0 * hours + 60.0 * minutes;
  time.seconds -= west ? -offset : offset;
  return true;
}

bool parse_date(Scanner& text, int& year, int& month, int& day) {
  if (!text.number(4, year)) return false;
  const char separator = text.peek();
  return (separator == '-' || separator == '/') && text.skip(separator) && text.number(2, month) &&
         text.skip(separator) && text.number(2, day);
}

// May 31 2024, May 31, 2024, May 2024, 31 May 2024, 31-May-2024.
bool parse_named_date(Scanner& text, int& year, int& month, int& day) {
  day = 1;
  const auto between = [&text] { return text.skip(' ') || text.skip('-'); };
  const bool day_first = text.digits(2, day) && between();
  if (!text.month(month)) return false;
  text.skip('.');
  if (!between()) return false;
  if (text.number(4, year)) return true;
  if (day_first || !text.digits(2, day)) return false;
  text.skip(',');
  return between() && text.number(4, year);
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  Scanner scanner(text);
  int year = 0, month = 0, day = 0;
  if (!parse_date(scanner, year, month, day) && !parse_named_date(scanner = Scanner(text), year, month, day)) return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  Timestamp time;
  time.seconds = 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (scanner.empty()) return time;
  double clock = 0;
  if (!scanner.skip('T') && !scanner.skip('t') && !scanner.skip(' ')) return {};
  if (!parse_clock(scanner, clock)) return {};
  time.seconds += clock;
  scanner.skip(' ');
  if (!parse_zone(scanner, time)) return {};
  return time;
}

std::string format_timestamp(double seconds) {
  const double micros = std::round(seconds * 1e6);
  // 292,000 years either way are more than any calendar needs.
  if (!(std::abs(micros) < 9e18)) return fmt::format("{}", seconds);
  const auto whole = static_cast<std::int64_t>(micros);
  const std::int64_t fraction = ((whole % 1'000'000) + 1'000'000) % 1'000'000;
  const std::int64_t second = (whole - fraction) / 1'000'000;
  const std::int64_t clock = ((second % 86400) + 86400) % 86400;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days((second - clock) / 86400))};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock / 3600,
                                 clock / 60 % 60, clock % 60);
  if (fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

}  // namespace cmanp::base
