#include "files/utf8.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cmanp::files {

bool is_utf8(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; })) return true;
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace cmanp::files
