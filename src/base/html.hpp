// Text within HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace cmanp::base {

// Fit to stand between tags and in a quoted attribute.
std::string html_escaped(std::string_view text);

}  // namespace cmanp::base
