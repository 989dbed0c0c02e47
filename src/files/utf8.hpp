// Whether text is UTF-8: names go into JSON, which knows no other.
#pragma once

#include <string_view>

namespace cmanp::files {

bool is_utf8(std::string_view text);

}  // namespace cmanp::files
