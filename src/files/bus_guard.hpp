// A mapped file that somebody cuts while it is read has pages no more, and a read of one ends the process (SIGBUS).
// While a guard lives, such a page of its mapping reads as zeros instead, and the guard knows.
#pragma once

#include <cstddef>
#include <span>

namespace cmanp::files {

class BusGuard {
 public:
  BusGuard() = default;                                  // guards nothing
  explicit BusGuard(std::span<const std::byte> mapped);  // throws Error where too many are guarded at once
  BusGuard(BusGuard&& other) noexcept;
  BusGuard& operator=(BusGuard&& other) noexcept;
  ~BusGuard();

  bool hit() const;  // whether a page was missing

 private:
  std::size_t slot_ = 0;  // its number, from 1 on
};

}  // namespace cmanp::files
