// What points can have left behind in a block's state: every door that states come in by asks here.
#pragma once

#include <string>

#include "kernels/attention_state.hpp"

namespace cmanp::runtime {

// Throws Error that begins with `where` unless every triple is finite, with a sum from `least` to `most` and values
// that floats can take on from there. Where `most` is 0, all must be empty; where points have a reach, some may be.
enum class Reach { everywhere, bounded };
void check_block(const kernels::AttentionState& block, double least, double most, const std::string& where,
                 Reach reach = Reach::everywhere);

}  // namespace cmanp::runtime
