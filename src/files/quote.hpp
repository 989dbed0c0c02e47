// Text from outside, made fit to be shown: nothing in it can move a terminal's cursor, or worse.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace cmanp::files {

// Control characters and invalid UTF-8 escaped, and all else as it is.
inline std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find_first_of("\"\\"), text.size());  // fmt would escape these as well
    const std::string escaped = fmt::format("{:?}", text.substr(0, size));       // in double quotes
    shown += std::string_view(escaped).substr(1, escaped.size() - 2);
    if (size < text.size()) shown += text[size];
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return shown;
}

// For an error message: in single quotes, shortened, escaped.
inline std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t size = text.size();
  if (size > kLongest) {
    size = kLongest;
    while (size > kLongest - 3 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;  // not amid a letter
  }
  const std::string escaped = fmt::format("{:?}", text.substr(0, size));  // in double quotes
  return fmt::format("'{}{}'", std::string_view(escaped).substr(1, escaped.size() - 2), size < text.size() ? "…" : "");
}

}  // namespace cmanp::files
