#include "runtime/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <utility>

#include "runtime/absorber.hpp"
#include "runtime/check_points.hpp"
#include "runtime/decoder.hpp"
#include "runtime/joint_head.hpp"
#include "runtime/rolling.hpp"

namespace cmanp::runtime {
namespace {

void check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size == expected) return;
  throw Error(fmt::format("{} holds {} numbers where {} belong", what, size, expected), ErrorKind::argument);
}

// Options over the range of what is taken over, which must be theirs if they have one.
ContextOptions over_range(ContextOptions options, const Range& range, const std::string& what) {
  if (options.range.empty()) options.range = range;
  if (options.range != range) {
    const std::string own = range.empty() ? "no range" : "the range " + to_text(range);
    throw Error(fmt::format("{} has {}, not {}", what, own, to_text(options.range)), ErrorKind::argument);
  }
  return options;
}

// Before anything is allocated for what a file says.
void check_latents(const Weights& weights, const StateData& data, const std::string& name) {
  if (!weights.relative) return;
  try {
    if (Grid::over(weights.config, weights.normalisation, data.range.value_or(Range{})).size() ==
        data.blocks.front().queries) {
      return;
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  throw Error(fmt::format("{}: has not as many latents as its range asks for", name));
}

void check_hash(const Model& model, const StateData& data, const std::string& name) {
  if (data.model_hash == model.hash()) return;
  throw Error(fmt::format("{}: a state of another model (it belongs to {}, this model is {})", name, data.model_hash,
                          model.hash()),
              ErrorKind::wrong_model);
}

const StateData& checked(const Model& model, const StateData& data, const std::string& name) {
  check_hash(model, data, name);
  check_latents(Access::weights(model), data, name);
  return data;
}

}  // namespace

ContextEngine::ContextEngine(Model model, const ContextOptions& options)
    : model_(std::move(model)), options_(options), layout_(weights(), options), workers_(options.threads) {
  const Config& config = weights().config;
  const kernels::Heads heads = weights().heads();
  if (layout_.grid) {
    options_.range = layout_.grid->range();
    grid_.emplace(weights(), *layout_.grid);
  }
  for (std::size_t b = 0; b < layout_.blocks; ++b) states_.emplace_back(heads, layout_.own_latents);
  pending_x_ = kernels::Buffer<double>(layout_.batch * config.dim_x);
  pending_y_ = kernels::Buffer<double>(layout_.batch * config.dim_y);
  order_ = kernels::Buffer<std::uint32_t>(layout_.sorted);
  for (std::size_t b = 0; b < layout_.blocks; ++b) {
    keys_.push_back({kernels::Buffer<float>(layout_.keys), kernels::Buffer<float>(layout_.values)});
  }
  for (std::size_t t = 0; t < layout_.threads; ++t) {
    Thread thread{kernels::Buffer<float>(t == 0 ? layout_.first_scratch : layout_.other_scratch),
                  kernels::Buffer<float>(t == 0 ? layout_.hidden : layout_.other_hidden),
                  {},
                  kernels::Buffer<double>(layout_.gathered)};
    for (std::size_t b = 0; b < layout_.blocks; ++b) thread.chunks.emplace_back(heads, layout_.own_latents);
    threads_.push_back(std::move(thread));
    if (t > 0) other_scratch_.push_back(threads_.back().scratch.data());
  }
}

ContextEngine::ContextEngine(const ContextEngine& other, const ContextOptions& options)
    : ContextEngine(other.model_, over_range(options, other.options_.range, "the context that is copied")) {
  prior_ = other.prior_;
  copy_state(other);
}

ContextEngine::ContextEngine(Model model, const StateData& data, const ContextOptions& options, const std::string& name)
    : ContextEngine(
          model, over_range(options, checked(model, data, name).range.value_or(Range{}), fmt::format("{}: it", name))) {
  restore(data, name);
}

void ContextEngine::copy_state(const ContextEngine& other) {
  const auto copy = [](const auto& from, auto& to) { std::copy(from.begin(), from.end(), to.begin()); };
  for (std::size_t b = 0; b < states_.size(); ++b) {
    copy(other.states_[b].max, states_[b].max);
    copy(other.states_[b].sum, states_[b].sum);
    copy(other.states_[b].weighted, states_[b].weighted);
    if (!other.fresh_) continue;
    copy(other.keys_[b].transposed, keys_[b].transposed);
    copy(other.keys_[b].values, keys_[b].values);
  }
  copy(other.pending_x_, pending_x_);
  copy(other.pending_y_, pending_y_);
  pending_ = other.pending_;
  points_ = other.points_;
  arms_ = other.arms_;
  unusual_ = other.unusual_;
  framing_ = other.framing_;
  fresh_ = other.fresh_;
}

void ContextEngine::observe(std::span<const double> x, std::span<const double> y) {
  const std::size_t count = count_points(weights(), x, y), dx = weights().config.dim_x;
  if (grid_ && options_.outside == Outside::refuse) {
    if (const std::size_t i = options_.range.first_outside(x, dx); i < count) {
      refuse_outside(i, x.subspan(i * dx, dx), options_.range, false);
    }
  }
  take(x, y);
}

void ContextEngine::feed_back(std::span<const double> x, std::span<const double> y) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y, count = x.size() / dx;
  if (!grid_ || options_.outside == Outside::take) return observe(x, y);
  for (std::size_t begin = 0; begin < count;) {  // stretches of those within
    const std::size_t inside = options_.range.first_outside(x.subspan(begin * dx), dx);
    if (inside > 0) observe(x.subspan(begin * dx, inside * dx), y.subspan(begin * dy, inside * dy));
    begin += inside + 1;
  }
}

// Whole batches go straight from the caller's memory; what is left waits in the pending buffer. Batches, and the chunks
// that they are cut into, are the same whatever the number of calls and threads, and are absorbed in their order, so
// that every bit of the state is, too.
void ContextEngine::take(std::span<const double> x, std::span<const double> y) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y;
  const std::size_t count = x.size() / dx;
  if (count == 0) return;
  points_ += count;
  fresh_ = false;

  std::size_t taken = 0;
  const auto keep = [&](std::size_t n) {
    std::copy_n(x.data() + taken * dx, n * dx, pending_x_.data() + pending_ * dx);
    std::copy_n(y.data() + taken * dy, n * dy, pending_y_.data() + pending_ * dy);
    pending_ += n;
    taken += n;
  };
  if (pending_ > 0) {
    keep(std::min(count, layout_.batch - pending_));
    if (pending_ < layout_.batch) return;
    fold_pending();
  }
  const std::size_t whole = (count - taken) / layout_.batch * layout_.batch;
  fold(x.data() + taken * dx, y.data() + taken * dy, whole);
  taken += whole;
  keep(count - taken);
}

void ContextEngine::fold_pending() {
  fold(pending_x_.data(), pending_y_.data(), pending_);
  pending_ = 0;
}

// Where the range is wide, every batch is put in the order of x before it is cut into chunks.
void ContextEngine::fold(const double* x, const double* y, std::size_t count) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y;
  const std::size_t at_once = layout_.sorted > 0 ? layout_.sorted : threads_.size() * kChunk;
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const std::size_t size = std::min(at_once, count - begin);
    for (std::size_t at = 0; at < size && layout_.sorted > 0; at += layout_.batch) {
      sort_along(x + (begin + at) * dx, dx, std::min(layout_.batch, size - at), order_.data() + at);
    }
    fold_round(x + begin * dx, y + begin * dy, layout_.sorted > 0 ? order_.data() : nullptr, size);
  }
}

// As many chunks at once as there are threads; then the threads share the blocks to absorb them, each in order.
void ContextEngine::fold_round(const double* x, const double* y, const std::uint32_t* order, std::size_t count) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y;
  for (std::size_t begin = 0; begin < count; begin += threads_.size() * kChunk) {
    const std::size_t chunks = std::min((count - begin + kChunk - 1) / kChunk, threads_.size());
    const auto summarise_chunk = [&](std::size_t t) {
      if (t >= chunks) return;
      kernels::Cursor cursor(threads_[t].scratch.data());
      const std::size_t at = begin + t * kChunk;
      const std::size_t size = std::min(kChunk, count - at);
      if (grid_) {
        // The order of a batch is told from its first point.
        const std::size_t from = order != nullptr ? at / layout_.batch * layout_.batch : at;
        return summarise_relative(weights(), *grid_, x + from * dx, y + from * dy,
                                  order != nullptr ? order + at : nullptr, size, RelativeAbsorbSpace(weights(), cursor),
                                  threads_[t].chunks);
      }
      summarise(weights(), x + at * dx, y + at * dy, size, AbsorbSpace(weights(), cursor), threads_[t].chunks);
    };
    const auto absorb_blocks = [&](std::size_t t) {
      for (std::size_t b = t; b < states_.size(); b += threads_.size()) {
        for (std::size_t c = 0; c < chunks; ++c) states_[b].absorb(threads_[c].chunks[b]);
      }
    };
    if (chunks == 1) {
      summarise_chunk(0);
      for (std::size_t b = 0; b < states_.size(); ++b) states_[b].absorb(threads_[0].chunks[b]);
    } else {
      workers_.run(summarise_chunk);
      workers_.run(absorb_blocks);
    }
  }
}

void ContextEngine::merge(const ContextEngine& other) {
  if (other.model_.hash() != model_.hash())
    throw Error("contexts of different models cannot be merged", ErrorKind::wrong_model);
  check_same_range(options_.range, other.options_.range, "contexts");
  if (arms_ > 0 && other.arms_ > 0 && arms_ != other.arms_) {
    throw Error(fmt::format("contexts of agents of {} and of {} arms cannot be merged", arms_, other.arms_),
                ErrorKind::wrong_model);
  }
  if (points_ + other.points_ < points_) throw Error("the number of their points is beyond all numbers");
  if (&other == this) return merge(ContextEngine(other, {1, options_.block}));
  for (std::size_t b = 0; b < states_.size(); ++b) states_[b].merge(other.states_[b]);
  points_ += other.points_ - other.pending_;
  if (arms_ == 0) arms_ = other.arms_;
  unusual_.clear();
  fresh_ = false;
  const Config& config = weights().config;
  take({other.pending_x_.data(), other.pending_ * config.dim_x},
       {other.pending_y_.data(), other.pending_ * config.dim_y});
}

void ContextEngine::reset() {
  for (auto& state : states_) state.clear();
  unusual_.clear();
  pending_ = 0;
  points_ = 0;
  fresh_ = false;
}

void ContextEngine::refresh() {
  if (fresh_) return;
  if (pending_ > 0) fold_pending();
  kernels::Cursor cursor(threads_[0].scratch.data());
  const auto crew = [&](float* scratch) { return Crew(workers_, scratch, other_scratch_, layout_.stretch_work); };
  if (grid_) {
    const RelativeEncodeSpace space(weights(), layout_.latents, cursor);
    encode_relative(weights(), *grid_, states_, space, crew(space.layer), keys_);
  } else {
    const EncodeSpace space(weights(), cursor);
    encode(weights(), states_, space, crew(space.layer), keys_);
  }
  fresh_ = true;
}

void ContextEngine::predict(std::span<const double> x, std::span<double> mean, std::span<double> std) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y;
  const std::size_t count = count_points(weights(), x);
  check_size(mean.size(), count * dy, "mean");
  check_size(std.size(), count * dy, "std");
  refresh();
  const auto tiles_of = [&](std::size_t t, std::size_t threads) {
    for (std::size_t at = t * kTargets; at < count; at += threads * kTargets) {
      predict_tile(threads_[t], x.data() + at * dx, std::min(kTargets, count - at), mean.data() + at * dy,
                   std.data() + at * dy);
    }
  };
  if (count <= kTargets) {
    tiles_of(0, 1);
  } else if (layout_.sorted > 0) {
    predict_sorted(x, mean, std);
  } else {
    workers_.run([&](std::size_t t) { tiles_of(t, threads_.size()); });
  }
  scale_deviations(std);
  if (grid_) answer_outside(x, mean, std);
}

// Over a wide range: many targets are put in the order of x, so that those of a tile read the same latents.
void ContextEngine::predict_sorted(std::span<const double> x, std::span<double> mean, std::span<double> std) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y, count = x.size() / dx;
  for (std::size_t begin = 0; begin < count; begin += layout_.sorted) {
    const std::size_t size = std::min(layout_.sorted, count - begin);
    sort_along(x.data() + begin * dx, dx, size, order_.data());
    workers_.run([&](std::size_t t) {
      for (std::size_t at = t * kTargets; at < size; at += threads_.size() * kTargets) {
        predict_gathered(threads_[t], x.data() + begin * dx, order_.data() + at, std::min(kTargets, size - at),
                         mean.data() + begin * dy, std.data() + begin * dy);
      }
    });
  }
}

void ContextEngine::predict_gathered(Thread& thread, const double* x, const std::uint32_t* order, std::size_t count,
                                     double* mean, double* std) const {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y;
  double* own_x = thread.gathered.data();
  double* own_mean = own_x + kTargets * dx;
  double* own_std = own_mean + kTargets * dy;
  for (std::size_t i = 0; i < count; ++i) std::copy_n(x + order[i] * dx, dx, own_x + i * dx);
  predict_tile(thread, own_x, count, own_mean, own_std);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(own_mean + i * dy, dy, mean + order[i] * dy);
    std::copy_n(own_std + i * dy, dy, std + order[i] * dy);
  }
}

void ContextEngine::scale_deviations(std::span<double> deviations) const {
  for (double& deviation : deviations) deviation *= weights().config.deviation_scale;
}

const ContextEngine::Prior& ContextEngine::prior() {
  if (prior_) return *prior_;
  const Config& config = weights().config;
  ContextEngine empty(model_, {1, 1});
  std::vector<double> centre;
  for (std::size_t axis = 0; axis < config.axes(); ++axis) {
    centre.push_back(0.5 * (empty.options_.range.low[axis] + empty.options_.range.high[axis]));
  }
  centre.insert(centre.end(), weights().normalisation.x_shift.end() - static_cast<std::ptrdiff_t>(config.features),
                weights().normalisation.x_shift.end());
  Prior prior{std::vector<double>(config.dim_y), std::vector<double>(config.dim_y),
              std::vector<double>(config.dim_y * config.dim_y)};
  empty.predict_joint(centre, prior.mean, prior.scale_tril);
  empty.predict(centre, prior.mean, prior.std);
  return prior_.emplace(std::move(prior));
}

void ContextEngine::answer_outside(std::span<const double> x, std::span<double> mean, std::span<double> std) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y, count = x.size() / dx;
  std::size_t i = options_.range.first_outside(x, dx);
  for (; i < count; i += 1 + options_.range.first_outside(x.subspan((i + 1) * dx), dx)) {
    std::copy_n(prior().mean.data(), dy, mean.data() + i * dy);
    std::copy_n(prior().std.data(), dy, std.data() + i * dy);
  }
}

// Those within jointly, as if nobody had asked for the others, which are by themselves.
void ContextEngine::predict_joint_outside(std::span<const double> x, std::span<double> mean,
                                          std::span<double> scale_tril) {
  const std::size_t dx = weights().config.dim_x, dy = weights().config.dim_y, count = x.size() / dx, n = count * dy;
  std::vector<double> within_x;
  std::vector<std::size_t> within;  // their rows
  std::fill(scale_tril.begin(), scale_tril.end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const bool covered = options_.range.first_outside(x.subspan(i * dx, dx), dx) == 1;
    if (covered) within_x.insert(within_x.end(), x.data() + i * dx, x.data() + (i + 1) * dx);
    for (std::size_t c = 0; c < dy; ++c) {
      if (covered) {
        within.push_back(i * dy + c);
        continue;
      }
      mean[i * dy + c] = prior().mean[c];
      std::copy_n(prior().scale_tril.data() + c * dy, c + 1, scale_tril.data() + (i * dy + c) * n + i * dy);
    }
  }
  std::vector<double> own_mean(within.size()), own_tril(within.size() * within.size());
  predict_joint(within_x, own_mean, own_tril);
  for (std::size_t i = 0; i < within.size(); ++i) {
    mean[within[i]] = own_mean[i];
    for (std::size_t j = 0; j <= i; ++j) scale_tril[within[i] * n + within[j]] = own_tril[i * within.size() + j];
  }
}

void ContextEngine::decode_tile(const double* x, std::size_t count, const DecodeSpace& space, float* hidden) const {
  if (grid_) return decode_relative(weights(), *grid_, keys_, x, count, space, hidden);
  decode(weights(), keys_, x, count, space, hidden);
}

void ContextEngine::predict_tile(Thread& thread, const double* x, std::size_t count, double* mean, double* std) const {
  kernels::Cursor cursor(thread.scratch.data());
  const DecodeSpace space(weights(), layout_.latents, cursor);
  decode_tile(x, count, space, thread.hidden.data());
  if (weights().joint) {
    const JointSpace joint(weights(), kTargets, cursor);
    marginal_head(weights(), thread.hidden.data(), count, joint, mean, std);
  } else {
    diagonal_head(weights(), thread.hidden.data(), count, space, mean, std);
  }
}

void ContextEngine::predict_joint(std::span<const double> x, std::span<double> mean, std::span<double> scale_tril) {
  const Config& config = weights().config;
  const std::size_t count = count_points(weights(), x), n = count * config.dim_y;
  if (count > options_.block) {
    throw Error(fmt::format("x holds {} targets, and the context predicts {} jointly at most", count, options_.block),
                ErrorKind::argument);
  }
  check_size(mean.size(), n, "mean");
  check_size(scale_tril.size(), n * n, "scale_tril");
  if (grid_ && options_.range.first_outside(x, config.dim_x) < count) return predict_joint_outside(x, mean, scale_tril);
  refresh();
  if (!weights().joint) {
    // The deviations first, at the front; then each to its place, from the last on.
    predict(x, mean, scale_tril.first(n));
    for (std::size_t i = n; i-- > 0;) {
      const double deviation = scale_tril[i];
      scale_tril[i] = 0.0;
      std::fill(scale_tril.begin() + static_cast<std::ptrdiff_t>(std::max(i * n, n)),
                scale_tril.begin() + static_cast<std::ptrdiff_t>(std::max((i + 1) * n, n)), 0.0);
      scale_tril[i * n + i] = deviation;
    }
    return;
  }
  kernels::Cursor cursor(threads_[0].scratch.data());
  const DecodeSpace space(weights(), layout_.latents, cursor);
  const JointSpace joint(weights(), std::max(options_.block, kTargets), cursor);
  float* hidden = threads_[0].hidden.data();
  for (std::size_t at = 0; at < count; at += kTargets) {
    decode_tile(x.data() + at * config.dim_x, std::min(kTargets, count - at), space,
                hidden + at * kernels::padded(config.d_model));
  }
  joint_head(weights(), hidden, x.data(), count, joint, mean.data(), scale_tril.data());
  scale_deviations(scale_tril);
}

StateData ContextEngine::state() const {
  const Config& config = weights().config;
  StateData data;
  data.model_hash = model_.hash();
  data.points = points_;
  data.blocks = states_;
  data.dim_x = config.dim_x;
  data.dim_y = config.dim_y;
  data.normalisation = weights().normalisation;
  if (grid_) data.range = options_.range;
  data.arms = arms_;
  data.unusual = unusual_;
  data.frame = framing_.frame;
  data.window = options_.window;
  data.frame_found = framing_.found && framing_.frame;
  if (rolls(*this)) data.recent = framing_.recent;
  data.pending_x.assign(pending_x_.begin(), pending_x_.begin() + pending_ * config.dim_x);
  data.pending_y.assign(pending_y_.begin(), pending_y_.begin() + pending_ * config.dim_y);
  if (!framing_.waiting_x.empty()) {  // nothing else is there yet
    data.waiting = true;
    data.pending_x = framing_.waiting_x;
    data.pending_y = framing_.waiting_y;
    data.points = data.pending_count();
  }
  return data;
}

void ContextEngine::restore(const StateData& data, const std::string& name) {
  const Config& config = weights().config;
  const kernels::AttentionState& own = states_.front();
  const kernels::AttentionState& other = data.blocks.front();
  if (data.blocks.size() != states_.size() || other.queries != own.queries || other.heads.count != own.heads.count ||
      other.heads.dim != own.heads.dim || data.dim_x != config.dim_x || data.dim_y != config.dim_y) {
    throw Error(fmt::format("{}: names this model, but has other shapes", name));
  }
  if (data.normalisation && *data.normalisation != weights().normalisation) {
    throw Error(fmt::format("{}: names this model, but has other units", name));
  }
  try {
    count_points(weights(), data.pending_x, data.pending_y);  // before anything is changed
  } catch (const Error& error) {
    throw Error(fmt::format("{}: of the points that are pending, {}", name, error.what()));
  }
  reset();
  states_ = data.blocks;
  points_ = data.points - data.pending_count();
  arms_ = data.arms;
  unusual_ = data.unusual;
  take(data.pending_x, data.pending_y);
}

Memory ContextEngine::memory() const {
  Memory memory = layout_.memory();
  memory.weights = weights().bytes();
  memory.state += window_bytes(options_, weights().config);
  return memory;
}

}  // namespace cmanp::runtime
