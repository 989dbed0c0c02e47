// Text from a file, made fit for an error message: in single quotes, shortened, control characters and invalid UTF-8
// escaped.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace cmanp::files {

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
