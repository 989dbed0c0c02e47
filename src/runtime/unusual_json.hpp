// What was usual in a stream so far (base/unusual.hpp), as the JSON that a state's metadata holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unusual.hpp"

namespace cmanp::runtime {

std::string to_json(const std::vector<base::Unusual>& columns);

// Throws Error where what `text` says is none, of so many columns of y. `name` stands for its file.
std::vector<base::Unusual> parse_unusual(const std::string& text, std::size_t dim_y, const std::string& name);

}  // namespace cmanp::runtime
