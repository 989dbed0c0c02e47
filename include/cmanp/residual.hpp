// What a pre-norm sub-layer adds its result to.
#pragma once

namespace cmanp {

// Published weights use the normalised input.
enum class Residual { normalised, plain };

}  // namespace cmanp
