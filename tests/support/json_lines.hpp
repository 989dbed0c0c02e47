// What `--json` prints: an object a line, a line a result.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace cmanp::testing {

// All of them, as an array. Throws on a line that is none.
inline nlohmann::json json_lines(const std::string& text) {
  nlohmann::json all = nlohmann::json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

}  // namespace cmanp::testing
