#include "data/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

namespace cmanp::data {

// FNV-1a, then a finaliser.
std::uint64_t hash_of(const std::string& text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 33);
}

GroupParts::GroupParts(const std::set<std::string>& names, double share, std::uint64_t seed) {
  std::vector<std::string> order(names.begin(), names.end());
  std::sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(hash_of(a, seed), a) < std::pair(hash_of(b, seed), b);
  });
  const auto some = static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(order.size())));
  if (static_cast<std::size_t>(2 * some) >= order.size()) {
    throw Error(
        fmt::format("{} groups are too few to set {} aside for the test and {} for validation; say --parts time, or "
                    "rows where x are several",
                    order.size(), some, some));
  }
  test_.assign(order.begin(), order.begin() + some);
  validation_.assign(order.begin() + some, order.begin() + 2 * some);
  std::sort(test_.begin(), test_.end());
  std::sort(validation_.begin(), validation_.end());
}

Part GroupParts::of(const std::string& group) const {
  if (std::binary_search(test_.begin(), test_.end(), group)) return Part::test;
  if (std::binary_search(validation_.begin(), validation_.end(), group)) return Part::validation;
  return Part::train;
}

Part part_of_row(const std::string& group, std::size_t row, double share, std::uint64_t seed) {
  const double place = std::ldexp(static_cast<double>(hash_of(fmt::format("{}\n{}", group, row), seed) >> 11), -53);
  return place < share ? Part::test : place < 2 * share ? Part::validation : Part::train;
}

}  // namespace cmanp::data
