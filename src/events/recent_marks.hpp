// The last distinct marks of a sequence, the newest first, so many at most. Marks come back: who edited a page edits it
// again. Both halves use these lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cmanp::events {

class RecentMarks {
 public:
  explicit RecentMarks(std::size_t most = 0) : most_(most) { marks_.reserve(most); }

  // From the newest on; `most` where the mark is not among them.
  std::size_t place_of(std::uint32_t mark) const {
    const auto found = std::find(marks_.begin(), marks_.end(), mark);
    return found == marks_.end() ? most_ : static_cast<std::size_t>(found - marks_.begin());
  }

  void see(std::uint32_t mark) {
    if (most_ == 0) return;
    auto place = std::find(marks_.begin(), marks_.end(), mark);
    if (place == marks_.end()) {
      if (marks_.size() < most_) marks_.push_back(mark);
      place = marks_.end() - 1;
      *place = mark;
    }
    std::rotate(marks_.begin(), place, place + 1);
  }

  const std::vector<std::uint32_t>& marks() const { return marks_; }
  std::size_t bytes() const { return most_ * sizeof(std::uint32_t); }

 private:
  std::size_t most_;
  std::vector<std::uint32_t> marks_;
};

}  // namespace cmanp::events
