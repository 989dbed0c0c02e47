#include "images/class_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <sstream>
#include <string_view>

#include "files/quote.hpp"

namespace cmanp::images {
namespace {

bool parse(std::string_view text, std::uint16_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

ClassRanges::ClassRanges(const std::string& text) {
  if (text == "all") return;
  std::istringstream parts(text + ",");  // an empty last part is one, too
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t hyphen = part.find('-');
    Range range{};
    const bool valid = parse(std::string_view(part).substr(0, hyphen), range.first) &&
                       parse(std::string_view(part).substr(hyphen == part.npos ? 0 : hyphen + 1), range.last);
    if (!valid || range.first > range.last) {
      throw Error(fmt::format("classes {} are not understood; write 0-9, or 3,5-7, or all", files::quote(text)));
    }
    ranges_.push_back(range);
  }
}

bool ClassRanges::contains(std::uint16_t label) const {
  return all() || std::any_of(ranges_.begin(), ranges_.end(),
                              [label](const Range& r) { return label >= r.first && label <= r.last; });
}

}  // namespace cmanp::images
