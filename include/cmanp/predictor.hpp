// What takes more than one look at a context: joint samples and likelihoods, block by block.
// Both leave the context that they are given as it was.
#pragma once

#include <cmanp/export.h>

#include <cmanp/context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace cmanp {

struct SampleOptions {
  std::size_t draws = 1;
  std::size_t block = 0;   // targets drawn jointly before they are fed back, up to the context's own block; 0: that
  std::uint64_t seed = 0;  // draw s of a seed is the same whatever the number of draws or threads
  // Draws wait to be fed back until they are this share of all that their context has seen; 0: block by block. Blocks
  // that wait together are drawn independently of each other, for far fewer updates: for targets ordered so that those
  // close in the order are far apart in x.
  double growth = 0;
};

// Joint draws over any number of targets: out[draw][target][channel]. Each draw feeds its own sampled y back through
// the constant-cost update, block after block, so that its targets belong to one function.
// `progress` is told the number of finished draws, from any thread.
CMANP_API void sample(const Context& context, std::span<const double> x, std::span<double> out,
                      const SampleOptions& options = {}, const std::function<void(std::size_t)>& progress = {});

struct Score {
  double log_likelihood = 0;  // mean per target point, summed over channels, in the units of the raw data
  std::size_t points = 0;
  double standard_error = 0;  // of the mean, over what is scored by itself: targets, or blocks of the chain rule
};

// The log-likelihood of targets. `block` 0 is the model's own way: a diagonal model scores each target by the context
// alone; a not-diagonal one goes in blocks of the context's `block` by the chain rule, each block then observed with
// its true y, in the given order. A block above 0, of any size, asks for the chain rule with that block of either.
CMANP_API Score score(const Context& context, std::span<const double> x, std::span<const double> y,
                      std::size_t block = 0, const std::function<void(std::size_t)>& progress = {});

}  // namespace cmanp
