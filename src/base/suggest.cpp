#include "base/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cmanp::base {

namespace {

// Insertions, deletions and substitutions that turn one word into the other, row by row of the usual table.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  // Nobody means a long flag by a word that shares less than half of it.
  std::size_t best = std::max<std::size_t>(1, word.size() / 2);
  std::string answer;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best || (distance == best && answer.empty())) {
      best = distance;
      answer = candidate;
    }
  }
  return answer;
}

}  // namespace cmanp::base
