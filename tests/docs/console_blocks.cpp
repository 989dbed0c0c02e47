#include "docs/console_blocks.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <span>

namespace cmanp::testing {
namespace {

constexpr std::string_view kAnything = "…";

using Lines = std::span<const std::string>;

// A number at the start of `text`: its value, and how many characters it takes; none of them where there is none.
std::size_t read_number(std::string_view text, double& value) {
  if (text.empty() || (std::isdigit(static_cast<unsigned char>(text[0])) == 0 && text[0] != '-')) return 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() ? static_cast<std::size_t>(result.ptr - text.data()) : 0;
}

// Rounding differs from machine to machine, by its instructions; whole numbers do not.
bool close_enough(double shown, double actual) {
  if (std::floor(shown) == shown && std::floor(actual) == actual) return shown == actual;
  return std::abs(shown - actual) <= 1e-5 + 1e-4 * std::abs(shown);
}

bool outputs_match(Lines shown, Lines actual) {
  if (shown.empty()) return actual.empty();
  if (shown[0] == kAnything) {
    for (std::size_t skipped = 0; skipped <= actual.size(); ++skipped) {
      if (outputs_match(shown.subspan(1), actual.subspan(skipped))) return true;
    }
    return false;
  }
  return !actual.empty() && line_matches(shown[0], actual[0]) && outputs_match(shown.subspan(1), actual.subspan(1));
}

}  // namespace

std::vector<ConsoleStep> read_console_steps(const std::filesystem::path& file) {
  std::vector<ConsoleStep> steps;
  std::ifstream stream(file);
  bool in_block = false, goes_on = false;
  std::string text;
  for (std::size_t number = 1; std::getline(stream, text); ++number) {
    if (text.starts_with("```")) {
      in_block = !in_block && text == "```console";
      goes_on = false;
    } else if (!in_block) {
      continue;
    } else if (goes_on) {
      steps.back().command += "\n" + text;
      goes_on = text.ends_with('\\');
    } else if (text.starts_with("$ ")) {
      steps.push_back({number, text.substr(2), {}});
      goes_on = text.ends_with('\\');
    } else if (!steps.empty()) {
      steps.back().output.push_back(text);
    }
  }
  return steps;
}

bool line_matches(std::string_view shown, std::string_view actual) {
  while (!shown.empty()) {
    if (shown.starts_with(kAnything)) {
      shown.remove_prefix(kAnything.size());
      for (std::size_t skipped = 0; skipped <= actual.size(); ++skipped) {
        if (line_matches(shown, actual.substr(skipped))) return true;
      }
      return false;
    }
    double wanted = 0, found = 0;
    const std::size_t wanted_size = read_number(shown, wanted), found_size = read_number(actual, found);
    if (wanted_size > 0 && found_size > 0) {
      if (!close_enough(wanted, found)) return false;
      shown.remove_prefix(wanted_size);
      actual.remove_prefix(found_size);
    } else {
      if (actual.empty() || shown[0] != actual[0]) return false;
      shown.remove_prefix(1);
      actual.remove_prefix(1);
    }
  }
  return actual.empty();
}

bool output_matches(const std::vector<std::string>& shown, const std::vector<std::string>& actual) {
  return outputs_match(shown, actual);
}

}  // namespace cmanp::testing
