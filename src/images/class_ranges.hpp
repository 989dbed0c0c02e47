// Sets of classes in a word: "0-9", "10-46", "3,5-7", "all".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cmanp::images {

class ClassRanges {
 public:
  explicit ClassRanges(const std::string& text);  // throws Error

  bool all() const { return ranges_.empty(); }
  bool contains(std::uint16_t label) const;

 private:
  struct Range {
    std::uint16_t first, last;
  };
  std::vector<Range> ranges_;
};

}  // namespace cmanp::images
