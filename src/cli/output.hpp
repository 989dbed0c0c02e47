// Standard output, buffered, with every write checked: a full disk is an error, a reader that went away is a quiet end.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cmanp::cli {

// What a network of floats answers has a float's digits; more of them would be noise.
enum class Digits { of_double, of_float };

// The number whose shortest digits are those of the nearest float; a number that no float comes near is left alone.
double with_digits(double value, Digits digits);

// An answer with this deviation: a float's digits, and as many more as it takes to tell a thousandth of it. Shift and
// scale of a frame are doubles, and a meter at 123456789 may be known to a tenth.
double answer_digits(double value, double deviation);
std::vector<double> answer_digits(std::span<const double> values, std::span<const double> deviations);

class Output {
 public:
  // By itself: whenever there is much of it.
  enum class Flush { by_itself, by_hand };

  explicit Output(Flush flush = Flush::by_itself) : flush_(flush) {}

  void text(std::string_view text);

  // Shortest digits that read back as the same number, with `separator` between.
  void numbers(std::span<const double> values, Digits digits = Digits::of_double, std::string_view separator = ",");

  // A JSON array; a number that JSON does not have (NaN, infinity) becomes null.
  void json_array(std::span<const double> values, Digits digits = Digits::of_double);
  // An array of rows of `width`.
  void json_rows(std::span<const double> values, std::size_t width, Digits digits = Digits::of_double);

  // Everything so far goes out. A verb ends with it: the destructor writes nothing, as it could not report a failure.
  void flush();

  // For who writes it by other means: all that is there, which is gone from here then.
  std::string take() { return std::exchange(buffer_, {}); }
  std::size_t size() const { return buffer_.size(); }

 private:
  void flush_if_large();

  Flush flush_;
  std::string buffer_;
};

// Ends a verb whose standard output failed so: an Error, or quietly where its reader went away.
[[noreturn]] void fail_output(int error);

// Column names: `name`, or `name1,name2,…` where there are more.
std::string column_names(std::string_view name, std::size_t count);

// "1.5 MiB"
std::string human_bytes(std::size_t bytes);

// `--json` is the same everywhere: an object a line of standard output, a line a result. An array is so many results.
void print_json(const nlohmann::ordered_json& document);

// The same for people: a line a field, nested objects indented, fields under "memory" with units.
void print_fields(const nlohmann::ordered_json& document);

}  // namespace cmanp::cli
