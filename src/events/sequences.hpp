// Event sequences: what happened when, and of which kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cmanp::events {

struct Sequence {
  std::string name;                  // as its file has it; "file:line" in a format without names
  std::vector<double> times;         // ascending, ties allowed, not negative
  std::vector<std::uint32_t> marks;  // one a time; empty where the data have none
  std::size_t file = 0;              // which of the files that were read
};

struct EventData {
  std::vector<Sequence> sequences;
  std::vector<std::string> mark_names;  // by mark; empty where the data have none
  bool dated = false;                   // times are seconds since 1970, out of dates
  std::vector<std::string> remarks;     // of the files that were read: what somebody may want to know

  bool marked() const { return !mark_names.empty(); }
  std::size_t events() const;
};

// When a sequence was watched. Without `from`, its clock begins at its first event, which then is nothing to predict;
// without `to`, it ends with its last, and nothing is known of the time after it.
struct Window {
  std::optional<double> from, to;

  bool operator==(const Window&) const = default;
};

// Throws Error that names the sequence where an event lies outside.
void check_window(const Window& window, const std::vector<Sequence>& sequences);

// Where the sequence's clock begins.
double origin_of(const Window& window, const Sequence& sequence);

struct Split {
  std::vector<Sequence> train, validation, test;
};

// By sequence, in an order that depends on the seed only; the test part is what the two shares leave.
Split split_by_seed(std::vector<Sequence> sequences, double train_share, double validation_share, std::uint64_t seed);

}  // namespace cmanp::events
