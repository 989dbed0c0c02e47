#include "runtime/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstdint>

#include "kernels/attention_state.hpp"
#include "runtime/absorber.hpp"
#include "runtime/decoder.hpp"
#include "runtime/encoder.hpp"
#include "runtime/joint_head.hpp"
#include "runtime/relative_network.hpp"
#include "runtime/work.hpp"

namespace cmanp::runtime {
namespace {

constexpr std::size_t kMostThreads = 1024;
constexpr std::size_t kLargestBlock = 1 << 16;
constexpr std::size_t kWideBatch = 8 * kChunk;
constexpr double kWide = 640;  // spacings, some three reaches of usual models

// Floats that a space takes.
template <class Space, class... Arguments>
std::size_t measure(const Weights& weights, const Arguments&... arguments) {
  kernels::Cursor cursor;
  Space(weights, arguments..., cursor);
  return cursor.used();
}

// Decoding and the head follow each other, so their spaces lie side by side.
std::size_t measure_prediction(const Weights& weights, std::size_t latents, std::size_t targets) {
  return measure<DecodeSpace>(weights, latents) + (weights.joint ? measure<JointSpace>(weights, targets) : 0);
}

std::optional<Grid> make_grid(const Weights& weights, const Range& range) {
  if (weights.relative) {
    return Grid::over(weights.config, weights.normalisation,
                      range.empty() ? default_range(weights.config, weights.normalisation) : range);
  }
  if (range.empty()) return std::nullopt;
  throw Error("a range is for models in relative coordinates; this one knows places themselves, wherever they are",
              ErrorKind::argument);
}

void check(const char* what, std::size_t value, std::size_t most) {
  if (value >= 1 && value <= most) return;
  throw Error(fmt::format("{} must be from 1 to {}, not {}", what, most, value), ErrorKind::argument);
}

}  // namespace

Layout::Layout(const Weights& weights, const ContextOptions& options)
    : grid(make_grid(weights, options.range)),
      threads(options.threads),
      blocks(weights.config.num_layers),
      own_latents(grid ? grid->size() : weights.config.num_latents_per_layer),
      latents(grid ? grid->size() : weights.config.num_latents),
      grid_bytes(grid ? GridQueries::bytes(weights, *grid) : 0) {
  check("the number of threads", options.threads, kMostThreads);
  check("the block of targets", options.block, kLargestBlock);
  const Config& config = weights.config;
  const kernels::Heads heads = weights.heads();
  const std::size_t ld = kernels::padded(config.d_model);
  const std::size_t block = std::max(options.block, kTargets);
  state_bytes = blocks * kernels::AttentionState::bytes(heads, own_latents);
  // Over a wide range, points in no order would each see other latents: many are sorted first.
  const bool wide = grid && grid->extent() > kWide * config.spacing;
  batch = wide ? kWideBatch : kChunk;
  sorted = wide ? (threads * kChunk + kWideBatch - 1) / kWideBatch * kWideBatch : 0;
  pending = batch * (config.dim_x + config.dim_y);
  gathered = wide ? kTargets * (config.dim_x + 2 * config.dim_y) : 0;
  keys = kernels::keys_size(heads, latents);
  values = kernels::values_size(heads, latents);
  if (grid) {
    const kernels::RelativeLayer& layer = weights.relative->decoder.front().attention;
    keys = layer.keys_size(latents);
    values = layer.values_size(latents);
  }
  chunk_bytes = blocks * kernels::AttentionChunk::bytes(heads, own_latents);
  const std::size_t absorb = grid ? measure<RelativeAbsorbSpace>(weights) : measure<AbsorbSpace>(weights);
  const std::size_t encode = grid ? measure<RelativeEncodeSpace>(weights, latents) : measure<EncodeSpace>(weights);
  const std::size_t share = grid ? relative_layer_scratch(weights, latents) : encode_layer_scratch(weights);
  first_scratch = std::max({absorb, encode, measure_prediction(weights, latents, block)});
  other_scratch = std::max({absorb, share, measure_prediction(weights, latents, kTargets)});
  hidden = block * ld;
  other_hidden = kTargets * ld;
  stretch_work = refresh_multiply_adds(weights, *this) / static_cast<double>(3 * blocks);
}

Memory Layout::memory() const {
  Memory memory;
  memory.state = state_bytes + pending * sizeof(double);
  memory.cache = blocks * (keys + values) * sizeof(float) + grid_bytes;
  memory.scratch = threads * (chunk_bytes + gathered * sizeof(double)) + (first_scratch + hidden) * sizeof(float) +
                   (threads - 1) * (other_scratch + other_hidden) * sizeof(float) + sorted * sizeof(std::uint32_t);
  return memory;
}

}  // namespace cmanp::runtime
