// Hands out pieces of one stretch of floats, each on a cache line. Over no memory at all it only counts, so that what
// measures a working space and what uses it are the same few lines.
#pragma once

#include <cstddef>

#include "kernels/panel.hpp"

namespace cmanp::kernels {

class Cursor {
 public:
  explicit Cursor(float* base = nullptr) : base_(base) {}

  float* take(std::size_t count) {
    float* piece = base_ == nullptr ? nullptr : base_ + used_;
    used_ += padded(count);
    return piece;
  }

  std::size_t used() const { return used_; }

 private:
  float* base_;
  std::size_t used_ = 0;
};

}  // namespace cmanp::kernels
