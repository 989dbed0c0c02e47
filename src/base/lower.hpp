// Text in small letters; letters other than A to Z stay as they are.
#pragma once

#include <string>

namespace cmanp::base {

inline std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace cmanp::base
