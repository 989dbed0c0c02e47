#include "runtime/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "kernels/attention_state.hpp"
#include "runtime/absorber.hpp"
#include "runtime/decoder.hpp"
#include "runtime/encoder.hpp"
#include "runtime/joint_head.hpp"

namespace cmanp::runtime {
namespace {

constexpr std::size_t kMostThreads = 1024;
constexpr std::size_t kLargestBlock = 1 << 16;

// Floats that a space takes.
template <class Space, class... Arguments>
std::size_t measure(const Weights& weights, const Arguments&... arguments) {
  kernels::Cursor cursor;
  Space(weights, arguments..., cursor);
  return cursor.used();
}

// Decoding and the head follow each other, so their spaces lie side by side.
std::size_t measure_prediction(const Weights& weights, std::size_t targets) {
  return measure<DecodeSpace>(weights) + (weights.joint ? measure<JointSpace>(weights, targets) : 0);
}

void check(const char* what, std::size_t value, std::size_t most) {
  if (value >= 1 && value <= most) return;
  throw Error(fmt::format("{} must be from 1 to {}, not {}", what, most, value), ErrorKind::argument);
}

}  // namespace

Layout::Layout(const Weights& weights, const ContextOptions& options)
    : threads(options.threads), blocks(weights.config.num_layers) {
  check("the number of threads", options.threads, kMostThreads);
  check("the block of targets", options.block, kLargestBlock);
  const Config& config = weights.config;
  const kernels::Heads heads = weights.heads();
  const std::size_t ld = kernels::padded(config.d_model);
  const std::size_t block = std::max(options.block, kTargets);
  state_bytes = blocks * kernels::AttentionState::bytes(heads, config.num_latents_per_layer);
  pending = kChunk * (config.dim_x + config.dim_y);
  keys = kernels::keys_size(heads, config.num_latents);
  values = kernels::values_size(heads, config.num_latents);
  chunk_bytes = blocks * kernels::AttentionChunk::bytes(heads, config.num_latents_per_layer);
  const std::size_t absorb = measure<AbsorbSpace>(weights);
  first_scratch = std::max({absorb, measure<EncodeSpace>(weights), measure_prediction(weights, block)});
  other_scratch = std::max(absorb, measure_prediction(weights, kTargets));
  hidden = block * ld;
  other_hidden = kTargets * ld;
}

Memory Layout::memory() const {
  Memory memory;
  memory.state = state_bytes + pending * sizeof(double);
  memory.cache = blocks * (keys + values) * sizeof(float);
  memory.scratch = threads * chunk_bytes + (first_scratch + hidden) * sizeof(float) +
                   (threads - 1) * (other_scratch + other_hidden) * sizeof(float);
  return memory;
}

}  // namespace cmanp::runtime
