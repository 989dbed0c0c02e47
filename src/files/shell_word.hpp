// A word of a command line for a shell, whatever is in it.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

namespace cmanp::files {

inline std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_./-:,=", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace cmanp::files
