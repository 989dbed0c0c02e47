#include "runtime/check_state.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>

#include "runtime/check_points.hpp"

namespace cmanp::runtime {

void check_block(const kernels::AttentionState& block, double least, double most, const std::string& where,
                 Reach reach) {
  const std::size_t dim = block.heads.dim;
  for (std::size_t row = 0; row < block.max.size(); ++row) {
    const float max = block.max[row];
    const double sum = block.sum[row];
    const bool empty = std::isinf(max) && max < 0 && sum == 0;
    const bool fine = most == 0 || (empty && reach == Reach::bounded)
                          ? empty
                          : std::isfinite(max) && std::isfinite(sum) && sum > 0 && sum >= least && sum <= most;
    if (!fine) throw Error(fmt::format("{}: \"max\" {} with \"sum\" {} is no state", where, max, sum));
    for (std::size_t i = row * dim; i < (row + 1) * dim; ++i) {
      if (std::abs(block.weighted[i]) <= kLargest * sum) continue;
      throw Error(fmt::format("{}: \"weighted\" holds {} where \"sum\" is {}", where, block.weighted[i], sum));
    }
  }
}

}  // namespace cmanp::runtime
