// What people and programs write where nothing is.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace cmanp::base {

// Empty, NA, N/A, #N/A, NaN, null, None, -, ., .., ?
inline bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 15> kWords{"NA",   "N/A", "#N/A", "NaN", "nan", "NAN", "null", "NULL",
                                                    "None", "n/a", "-",    ".",   "?",   "--",  ".."};
  if (field.empty()) return true;
  if (field.size() > 4 || (field.back() >= '0' && field.back() <= '9')) return false;
  return std::find(kWords.begin(), kWords.end(), field) != kWords.end();
}

}  // namespace cmanp::base
