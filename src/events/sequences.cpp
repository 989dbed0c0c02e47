#include "events/sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/random.hpp"

namespace cmanp::events {

std::size_t EventData::events() const {
  std::size_t count = 0;
  for (const Sequence& sequence : sequences) count += sequence.times.size();
  return count;
}

void check_window(const Window& window, const std::vector<Sequence>& sequences) {
  if (window.from && window.to && !(*window.from < *window.to)) {
    throw Error(fmt::format("a window from {} to {} is empty", *window.from, *window.to));
  }
  for (const Sequence& sequence : sequences) {
    if (sequence.times.empty()) continue;
    if (window.from && sequence.times.front() < *window.from) {
      throw Error(fmt::format("{}: the event at {} lies before the window, which begins at {}", sequence.name,
                              sequence.times.front(), *window.from));
    }
    if (window.to && sequence.times.back() > *window.to) {
      throw Error(fmt::format("{}: the event at {} lies behind the window, which ends at {}", sequence.name,
                              sequence.times.back(), *window.to));
    }
  }
}

double origin_of(const Window& window, const Sequence& sequence) {
  if (window.from) return *window.from;
  return sequence.times.empty() ? 0.0 : sequence.times.front();
}

Split split_by_seed(std::vector<Sequence> sequences, double train_share, double validation_share, std::uint64_t seed) {
  // Not std::shuffle, whose order differs between standard libraries.
  base::Random random(seed);
  for (std::size_t i = sequences.size(); i > 1; --i) std::swap(sequences[i - 1], sequences[random.bits() % i]);
  const auto count = static_cast<double>(sequences.size());
  const auto place = [&](double share) {
    return sequences.begin() + static_cast<std::ptrdiff_t>(std::min(count, std::round(share * count)));
  };
  const auto first = place(train_share), second = place(train_share + validation_share);
  const auto part = [](auto from, auto to) {
    return std::vector<Sequence>(std::make_move_iterator(from), std::make_move_iterator(to));
  };
  return {part(sequences.begin(), first), part(first, second), part(second, sequences.end())};
}

}  // namespace cmanp::events
