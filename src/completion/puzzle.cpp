#include "completion/puzzle.hpp"

#include <algorithm>

namespace cmanp::completion {

std::size_t Puzzle::given_pixels() const { return static_cast<std::size_t>(std::count(given.begin(), given.end(), 1)); }

bool Puzzle::anything_to_compare() const {
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == 0 && known[i] != 0) return true;
  }
  return false;
}

}  // namespace cmanp::completion
