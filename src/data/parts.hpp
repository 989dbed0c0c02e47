// Which groups, and which rows, are for training, which for validation and which for the test: by chance, but the same
// everywhere for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace cmanp::data {

enum class Part { train, validation, test };

// Well mixed, the same everywhere.
std::uint64_t hash_of(const std::string& text, std::uint64_t seed);

class GroupParts {
 public:
  GroupParts() = default;  // all are for training
  // `share` of the groups for the test, and as many for validation. Throws Error where that leaves none.
  GroupParts(const std::set<std::string>& names, double share, std::uint64_t seed);

  Part of(const std::string& group) const;

 private:
  std::vector<std::string> test_, validation_;  // sorted
};

// Each row by itself, by its number within its group.
Part part_of_row(const std::string& group, std::size_t row, double share, std::uint64_t seed);

}  // namespace cmanp::data
