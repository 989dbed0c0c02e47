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

// Behind a clock of twelve hours. Without it the hour is as it stands.
bool parse_half_day(Scanner& text, int& hour) {
  Scanner ahead = text;
  ahead.skip(' ');
  const bool afternoon = ahead.skip('P') || ahead.skip('p');
  if (!afternoon && !ahead.skip('A') && !ahead.skip('a')) return true;
  if ((!ahead.skip('M') && !ahead.skip('m')) || hour < 1 || hour > 12) return false;
  hour = hour % 12 + (afternoon ? 12 : 0);
  text = ahead;
  return true;
}

// Hours and minutes, and seconds where they follow. With dots there are seconds: 18.30 is a number.
bool parse_clock(Scanner& text, double& seconds) {
  int hour = 0, minute = 0, second = 0;
  double fraction = 0;
  if (!text.digits(2, hour)) return false;
  const char separator = text.peek();
  if ((separator != ':' && separator != '.') || !text.skip(separator) || !text.number(2, minute)) return false;
  if (text.skip(separator)) {
    if (!text.number(2, second)) return false;
    if (text.skip('.') || text.skip(',')) {
      if (!text.fraction(fraction)) return false;
    }
  } else if (separator == '.') {
    return false;
  }
  if (!parse_half_day(text, hour)) return false;
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

struct Date {
  int year = 0, month = 1, day = 1;

  std::optional<std::chrono::sys_days> days() const {
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return {};
    return std::chrono::sys_days(date);
  }
};

// 2024, or 24 and 99 as POSIX has them: from 1969 to 2068.
bool parse_short_year(Scanner& text, int& year) {
  if (!text.number(2, year)) return false;
  year += year < 69 ? 2000 : 1900;
  return true;
}

bool parse_year(Scanner& text, int& year) { return text.number(4, year) || parse_short_year(text, year); }

bool parse_iso_date(Scanner& text, Date& date) {
  if (!text.number(4, date.year)) return false;
  const char separator = text.peek();
  if ((separator != '-' && separator != '/') || !text.skip(separator)) return false;
  if (!text.number(2, date.month)) return false;
  return text.empty() || (text.skip(separator) && text.number(2, date.day));
}

// 24-05-31, 24/05/31, 24.05.31 where it is known that they begin with the year.
bool parse_short_date(Scanner& text, Date& date) {
  if (!parse_short_year(text, date.year)) return false;
  const char separator = text.peek();
  if (separator != '.' && separator != '/' && separator != '-') return false;
  return text.skip(separator) && text.digits(2, date.month) && text.skip(separator) && text.digits(2, date.day);
}

// 31.05.2024; 5/31/2024 and 5-31-24 where it is known which is the day.
bool parse_numbered_date(Scanner& text, DayOrder order, Date& date) {
  if (order == DayOrder::year_first) return parse_short_date(text, date);
  int first = 0, second = 0;
  if (!text.digits(2, first)) return false;
  const char separator = text.peek();
  if (separator == '.') order = DayOrder::day_first;
  if (order == DayOrder::unknown || (separator != '.' && separator != '/' && separator != '-')) return false;
  if (!text.skip(separator) || !text.digits(2, second) || !text.skip(separator)) return false;
  date.day = order == DayOrder::day_first ? first : second;
  date.month = order == DayOrder::day_first ? second : first;
  return parse_year(text, date.year);
}

// May 31 2024, May 31, 2024, May 2024, May-24, 31 May 2024, 31-May-24, 2024 May.
bool parse_named_date(Scanner& text, Date& date) {
  const auto between = [&text] { return text.skip(' ') || text.skip('-'); };
  if (text.number(4, date.year)) return between() && text.month(date.month) && text.empty();
  const bool day_first = text.digits(2, date.day) && between();
  if (!text.month(date.month)) return false;
  text.skip('.');
  const bool hyphen = text.peek() == '-';
  if (!between()) return false;
  if (day_first) return parse_year(text, date.year);
  if (text.number(4, date.year)) return true;
  if (hyphen) return parse_year(text, date.year) && text.empty();  // May 24 is a day of any year
  if (!text.digits(2, date.day)) return false;
  text.skip(',');
  return between() && text.number(4, date.year);
}

// 2024Q2, 2024-Q2, Q2 2024, 2024M05: their first months.
bool parse_period(Scanner& text, Date& date) {
  const auto between = [&text] { return text.skip(' ') || text.skip('-') || true; };
  const auto quarter = [&] {
    if (!text.skip('Q') && !text.skip('q')) return false;
    int number = 0;
    if (!text.number(1, number) || number < 1 || number > 4) return false;
    date.month = 3 * number - 2;
    return true;
  };
  if (quarter()) return between() && text.number(4, date.year);
  if (!text.number(4, date.year)) return false;
  between();
  return quarter() || ((text.skip('M') || text.skip('m')) && text.digits(2, date.month));
}

// 2024-W22, 2024W22, 2024-W22-5: that day of the week, or its Monday.
std::optional<std::chrono::sys_days> parse_week(Scanner text) {
  int year = 0, week = 0, day = 1;
  if (!text.number(4, year)) return {};
  text.skip('-');
  if ((!text.skip('W') && !text.skip('w')) || !text.number(2, week)) return {};
  if (text.skip('-') && !text.number(1, day)) return {};
  if (!text.empty() || week < 1 || week > 53 || day < 1 || day > 7) return {};
  // The week with 4 January is the first.
  const std::chrono::sys_days fourth = std::chrono::year(year) / std::chrono::January / 4;
  const int weekday = static_cast<int>(std::chrono::weekday(fourth).iso_encoding());
  return fourth + std::chrono::days(7 * (week - 1) + day - weekday);
}

// The day, and what of the text is left.
std::optional<std::chrono::sys_days> parse_day(Scanner& text, DayOrder order) {
  const Scanner whole = text;
  Date date;
  if (parse_iso_date(text, date)) return date.days();
  if (parse_named_date(text = whole, date = {})) return date.days();
  if (parse_numbered_date(text = whole, order, date = {})) return date.days();
  if (parse_period(text = whole, date = {}) && text.empty()) return date.days();
  const auto week = parse_week(whole);
  text = Scanner({});
  return week;
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text, DayOrder order) {
  Scanner scanner(text);
  const auto day = parse_day(scanner, order);
  if (!day) return {};
  Timestamp time;
  time.seconds = 86400.0 * static_cast<double>(day->time_since_epoch().count());
  if (scanner.empty()) return time;
  double clock = 0;
  if (!scanner.skip('T') && !scanner.skip('t') && !scanner.skip(' ')) return {};
  if (!parse_clock(scanner, clock)) return {};
  time.seconds += clock;
  scanner.skip(' ');
  if (!parse_zone(scanner, time)) return {};
  return time;
}

std::optional<double> parse_time_of_day(std::string_view text) {
  Scanner scanner(text);
  double seconds = 0;
  if (!parse_clock(scanner, seconds) || !scanner.empty()) return {};
  return seconds;
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
