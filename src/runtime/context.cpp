#include <fmt/format.h>

#include <algorithm>
#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <utility>

#include "runtime/check_points.hpp"
#include "runtime/engine.hpp"
#include "runtime/framing.hpp"
#include "runtime/rolling.hpp"
#include "runtime/waiting.hpp"

namespace cmanp {

Context runtime::Access::context(std::unique_ptr<ContextEngine> engine) { return Context(std::move(engine)); }

namespace {

using runtime::ContextEngine;
using runtime::Framing;

// A window is the state's, or that which is asked for where nothing was observed.
ContextOptions with_window(ContextOptions options, const runtime::StateData& data, const std::string& name) {
  if (options.window == data.window || options.window == 0 || (data.window == 0 && data.points == 0)) {
    options.window = std::max(options.window, data.window);
    return options;
  }
  throw Error(fmt::format("{}: {}, and not the window of {} that is asked for", name,
                          data.window == 0 ? "forgets nothing" : fmt::format("has a window of {}", data.window),
                          options.window),
              ErrorKind::argument);
}

// The state's frame, or the one that is asked for where it has none yet.
std::unique_ptr<ContextEngine> restored(const Model& model, const ContextOptions& asked, const runtime::StateData& data,
                                        const std::string& name) {
  const ContextOptions options = with_window(asked, data, name);
  const bool frames = model.config().frames;
  if (data.waiting && !frames) throw Error(fmt::format("{}: waits for a frame, and its model knows none", name));
  if (data.waiting || (!data.frame && data.points == 0 && (frames || options.frame))) {
    ContextOptions plain = options;
    plain.range = {};
    const ContextEngine checked(model, data.without_pending(), plain, name);  // that it belongs here
    auto engine = runtime::open_engine(model, options);
    engine->set_arms(checked.arms());
    engine->unusual() = data.unusual;
    runtime::observe_framed(engine, data.pending_x, data.pending_y);
    return engine;
  }
  if (frames && !data.frame) throw Error(fmt::format("{}: has no frame, and its model works in frames", name));
  if (options.frame && !runtime::same_frame(options.frame, data.frame)) {
    throw Error(fmt::format("{}: has {} and not the one that is asked for; leave out --x-frame and --y-frame", name,
                            data.frame ? "the frame " + runtime::frame_flags(*data.frame) : "no frame"),
                ErrorKind::argument);
  }
  if (data.frame) runtime::check_frame(*data.frame, model.config());
  ContextOptions inner = options;
  if (data.frame) inner.range = runtime::into_frame(options.range, *data.frame);
  auto engine = std::make_unique<ContextEngine>(model, data, inner, name);
  engine->framing().frame = data.frame;
  engine->framing().found = data.frame_found;
  engine->framing().recent = data.recent;
  return engine;
}

ContextOptions in_frame_of(const ContextEngine& engine, ContextOptions options) {
  const auto& frame = engine.framing().frame;
  if (frame) options.range = runtime::into_frame(options.range, *frame);
  options.window = engine.options().window;
  return options;
}

}  // namespace

Context::Context(Model model, const ContextOptions& options)
    : engine_(runtime::open_engine(std::move(model), options)) {}

Context::Context(const Context& other)
    : engine_(std::make_unique<ContextEngine>(*other.engine_, other.engine_->options())) {}

Context::Context(const Context& other, const ContextOptions& options)
    : engine_(std::make_unique<ContextEngine>(*other.engine_, in_frame_of(*other.engine_, options))) {}

Context& Context::operator=(const Context& other) {
  if (this != &other) engine_ = std::make_unique<ContextEngine>(*other.engine_, other.engine_->options());
  return *this;
}

Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

void Context::observe(std::span<const double> x, std::span<const double> y) { runtime::observe_framed(engine_, x, y); }

void Context::observe_whole(std::span<const double> x, std::span<const double> y) {
  runtime::observe_whole(engine_, x, y);
}

void Context::merge(const Context& other) {
  if (model().hash() != other.model().hash()) return engine_->merge(*other.engine_);  // which refuses it
  if (&other == this) return merge(Context(other));
  if (rolls(*engine_) || rolls(*other.engine_)) {
    throw Error("contexts that keep a window of their observations do not merge", ErrorKind::argument);
  }
  const Framing& theirs = other.engine_->framing();
  if (waits(*other.engine_)) return observe(theirs.waiting_x, theirs.waiting_y);
  if (waits(*engine_)) settle(engine_, theirs.frame, other.engine_->options().range);
  runtime::check_same_frame(engine_->framing().frame, theirs.frame, "contexts");
  engine_->merge(*other.engine_);
}

void Context::reset() {
  engine_->reset();
  Framing& framing = engine_->framing();
  framing.waiting_x.clear();
  framing.waiting_y.clear();
  framing.recent = {};
}

std::uint64_t Context::size() const {
  return engine_->size() + engine_->framing().waiting_x.size() / model().config().dim_x;
}

void Context::predict(std::span<const double> x, std::span<double> mean, std::span<double> std) {
  const Framing& framing = engine_->framing();
  if (waits(*engine_)) return runtime::predict_waiting(*engine_, x, mean, std);
  if (!framing.frame) return engine_->predict(x, mean, std);
  const Normalisation& frame = *framing.frame;
  engine_->predict(runtime::x_into_frame(x, frame), mean, std);
  runtime::y_out_of_frame(x, mean, frame);
  runtime::deviations_out_of_frame(std, frame);
}

void Context::predict_joint(std::span<const double> x, std::span<double> mean, std::span<double> scale_tril) {
  if (waits(*engine_)) return Context(settled(*engine_)).predict_joint(x, mean, scale_tril);
  const Framing& framing = engine_->framing();
  if (!framing.frame) return engine_->predict_joint(x, mean, scale_tril);
  const Normalisation& frame = *framing.frame;
  engine_->predict_joint(runtime::x_into_frame(x, frame), mean, scale_tril);
  runtime::y_out_of_frame(x, mean, frame);
  runtime::factor_out_of_frame(scale_tril, mean.size(), frame);
}

void Context::save(const std::filesystem::path& path) const { runtime::write_state(path, engine_->state()); }

Context Context::load(Model model, const std::filesystem::path& path, const ContextOptions& options) {
  return Context(restored(model, options, runtime::read_state(path), path.string()));
}

std::vector<std::byte> Context::to_bytes() const { return runtime::state_bytes(engine_->state()); }

Context Context::from_bytes(Model model, std::span<const std::byte> bytes, const ContextOptions& options,
                            const std::string& name) {
  const runtime::StateData data = runtime::parse_state(files::Safetensors::parse(bytes, name));
  return Context(restored(model, options, data, name));
}

Context::Context(std::unique_ptr<ContextEngine> engine) : engine_(std::move(engine)) {}

const std::optional<Normalisation>& Context::frame() const { return engine_->framing().frame; }
Range Context::range() const { return range_of(*engine_); }
const Model& Context::model() const { return engine_->model(); }
const ContextOptions& Context::options() const { return engine_->options(); }
Memory Context::memory() const { return engine_->memory(); }

}  // namespace cmanp
