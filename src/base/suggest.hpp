// "Did you mean …?": the nearest known word to one that is not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cmanp::base {

// The nearest by edit distance, or an empty string where none is near enough to be worth naming.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace cmanp::base
