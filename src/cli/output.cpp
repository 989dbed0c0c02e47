#include "cli/output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmanp/error.hpp>
#include <cmath>
#include <csignal>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/exit.hpp"
#include "files/quote.hpp"

namespace cmanp::cli {

namespace {

constexpr std::size_t kFlushAt = 1 << 16;

std::string field_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return files::printable(key);
}

std::string field_value(const nlohmann::ordered_json& value, bool bytes) {
  if (bytes) return fmt::format("{} bytes ({})", value.get<std::size_t>(), human_bytes(value.get<std::size_t>()));
  return files::printable(value.is_string() ? value.get<std::string>()
                                            : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void append_fields(std::string& text, const nlohmann::ordered_json& object, std::size_t indent, bool bytes) {
  std::size_t width = 0;
  for (const auto& [key, value] : object.items()) width = std::max(width, key.size());
  for (const auto& [key, value] : object.items()) {
    const std::string name = field_name(key);
    if (value.is_object() && !value.empty()) {
      fmt::format_to(std::back_inserter(text), "{:{}}{}\n", "", indent, name);
      append_fields(text, value, indent + 2, key == "memory");
    } else {
      fmt::format_to(std::back_inserter(text), "{:{}}{:{}}  {}\n", "", indent, name, width, field_value(value, bytes));
    }
  }
}

}  // namespace

void Output::text(std::string_view text) {
  buffer_ += text;
  flush_if_large();
}

double with_digits(double value, Digits digits) {
  const auto nearest = static_cast<float>(value);
  if (digits == Digits::of_double || !std::isfinite(nearest) || (nearest == 0 && value != 0)) return value;
  double result = 0;
  const std::string text = fmt::format("{}", nearest);
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

double answer_digits(double value, double deviation) {
  constexpr double kLeast = 1e-3;
  const double rounded = with_digits(value, Digits::of_float), least = kLeast * deviation;
  if (!(std::abs(rounded - value) > least)) return rounded;
  if (!(least > 0) || !std::isfinite(least)) return value;
  const int places = std::max(0, static_cast<int>(-std::floor(std::log10(least))));
  double result = 0;
  const std::string text = fmt::format("{:.{}f}", value, places);
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::vector<double> answer_digits(std::span<const double> values, std::span<const double> deviations) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) result.push_back(answer_digits(values[i], deviations[i]));
  return result;
}

void Output::numbers(std::span<const double> values, Digits digits, std::string_view separator) {
  bool first = true;
  for (const double value : values) {
    if (!first) buffer_ += separator;
    first = false;
    fmt::format_to(std::back_inserter(buffer_), "{}", with_digits(value, digits));
  }
  flush_if_large();
}

void Output::json_array(std::span<const double> values, Digits digits) {
  buffer_ += '[';
  bool first = true;
  for (const double value : values) {
    if (!first) buffer_ += ',';
    first = false;
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(buffer_), "{}", with_digits(value, digits));
    } else {
      buffer_ += "null";
    }
  }
  buffer_ += ']';
  flush_if_large();
}

void Output::json_rows(std::span<const double> values, std::size_t width, Digits digits) {
  text("[");
  for (std::size_t begin = 0; begin < values.size(); begin += width) {
    if (begin > 0) text(",");
    json_array(values.subspan(begin, width), digits);
  }
  text("]");
}

void Output::flush_if_large() {
  if (flush_ == Flush::by_itself && buffer_.size() >= kFlushAt) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = write(STDOUT_FILENO, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // somebody made the descriptor non-blocking
      pollfd wait{STDOUT_FILENO, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      const int failure = errno;
      buffer_.clear();
      fail_output(failure);
    }
  }
  buffer_.clear();
}

void fail_output(int error) {
  if (error == EPIPE) throw Exit{128 + SIGPIPE};
  throw Error(fmt::format("standard output: {}", std::generic_category().message(error)));
}

std::string column_names(std::string_view name, std::size_t count) {
  if (count == 1) return std::string(name);
  std::string names;
  for (std::size_t i = 1; i <= count; ++i) names += fmt::format("{}{}{}", i > 1 ? "," : "", name, i);
  return names;
}

std::string human_bytes(std::size_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, units[unit]);
}

void print_json(const nlohmann::ordered_json& document) {
  Output output;
  const auto add = [&](const nlohmann::ordered_json& result) {
    output.text(result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  };
  if (document.is_array()) {
    for (const nlohmann::ordered_json& result : document) add(result);
  } else {
    add(document);
  }
  output.flush();
}

void print_fields(const nlohmann::ordered_json& document) {
  std::string text;
  append_fields(text, document, 0, false);
  Output output;
  output.text(text);
  output.flush();
}

}  // namespace cmanp::cli
