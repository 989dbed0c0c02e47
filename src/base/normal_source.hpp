// Standard normal numbers from a seed and a stream, the same on every platform. Both of a pair are used.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace cmanp::base {

class NormalSource {
 public:
  NormalSource(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}

  double next() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const Random::Pair pair = random_.normal_pair();
    second_ = pair.second;
    has_second_ = true;
    return pair.first;
  }

  double uniform() { return random_.uniform(); }

 private:
  Random random_;
  double second_ = 0;
  bool has_second_ = false;
};

}  // namespace cmanp::base
