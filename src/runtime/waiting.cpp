#include "runtime/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <vector>

#include "runtime/absorber.hpp"
#include "runtime/check_points.hpp"
#include "runtime/check_widths.hpp"
#include "runtime/framing.hpp"
#include "runtime/grid.hpp"
#include "runtime/rolling.hpp"

namespace cmanp::runtime {
// In the frame's units, where the ends of the range are: brought back, they would be rounded.
std::size_t first_outside(const ContextEngine& engine, std::span<const double> x) {
  const Range& inner = engine.options().range;
  const auto& frame = engine.framing().frame;
  const std::size_t dx = engine.model().config().dim_x;
  return frame ? inner.first_outside(x_into_frame(x, *frame), dx) : inner.first_outside(x, dx);
}

void take_in(ContextEngine& engine, std::span<const double> x, std::span<const double> y) {
  const auto& frame = engine.framing().frame;
  if (!frame) return engine.observe(x, y);
  const std::size_t dx = engine.model().config().dim_x, count = x.size() / dx;
  const std::size_t outside = first_outside(engine, x);
  if (engine.options().outside == Outside::refuse && outside < count) {  // told in the data's units
    refuse_outside(outside, x.subspan(outside * dx, dx), range_of(engine), true);
  }
  engine.observe(x_into_frame(x, *frame), y_into_frame(x, y, *frame));
}

void check_warm_up(const ContextOptions& options) {
  if (options.warm_up >= 1 && options.warm_up <= kChunk) return;
  throw Error(fmt::format("the warm-up must be from 1 to {} observations, not {}", kChunk, options.warm_up),
              ErrorKind::argument);
}

std::unique_ptr<ContextEngine> open_engine(Model model, const ContextOptions& options, const Range& in_frame) {
  if (options.frame) check_frame(*options.frame, model.config());
  check_warm_up(options);
  check_window(options);
  ContextOptions inner = options;
  if (options.frame) {
    inner.range = in_frame.empty() ? into_frame(options.range, *options.frame) : in_frame;
  } else if (model.config().frames) {
    inner.range = {};  // until there is a frame
  }
  auto engine = std::make_unique<ContextEngine>(std::move(model), inner);
  engine->framing().frame = options.frame;
  engine->framing().range = options.range;
  return engine;
}

Range range_of(const ContextEngine& engine) {
  if (waits(engine)) return {};
  const auto& frame = engine.framing().frame;
  const Range& inner = engine.options().range;
  return frame ? out_of_frame(inner, *frame) : inner;
}

bool waits(const ContextEngine& engine) { return engine.model().config().frames && !engine.framing().frame; }

void observe_framed(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y) {
  if (rolls(*engine)) return observe_rolling(engine, x, y);
  if (!waits(*engine)) return take_in(*engine, x, y);
  wait_or_settle(engine, x, y);
}

void wait_or_settle(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y) {
  const Config& config = engine->model().config();
  const std::size_t count = count_points(boundless(config), x, y);
  const Framing before = engine->framing();
  Framing& framing = engine->framing();
  const std::size_t there = framing.waiting_x.size() / config.dim_x;
  const std::size_t more = std::min(count, engine->options().warm_up - there);
  framing.waiting_x.insert(framing.waiting_x.end(), x.begin(),
                           x.begin() + static_cast<std::ptrdiff_t>(more * config.dim_x));
  framing.waiting_y.insert(framing.waiting_y.end(), y.begin(),
                           y.begin() + static_cast<std::ptrdiff_t>(more * config.dim_y));
  if (there + more < engine->options().warm_up) return;
  auto framed = std::make_unique<ContextEngine>(*engine, engine->options());
  try {
    settle(framed);
    take_in(*framed, x.subspan(more * config.dim_x), y.subspan(more * config.dim_y));
  } catch (const Error&) {
    engine->framing() = before;
    throw;
  }
  engine = std::move(framed);
}

void observe_whole(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y) {
  if (rolls(*engine) || !waits(*engine)) return observe_framed(engine, x, y);  // who rolls finds frames by itself
  const Config& config = engine->model().config();
  const Framing& framing = engine->framing();
  if (count_points(boundless(config), x, y) == 0 && framing.waiting_x.empty()) return;
  std::vector<double> all_x = framing.waiting_x, all_y = framing.waiting_y;
  all_x.insert(all_x.end(), x.begin(), x.end());
  all_y.insert(all_y.end(), y.begin(), y.end());
  auto framed = std::make_unique<ContextEngine>(*engine, engine->options());
  settle(framed, find_checked_frame(engine->model(), all_x, all_y, finding(engine->options())));
  take_in(*framed, x, y);
  engine = std::move(framed);
}

void settle(std::unique_ptr<ContextEngine>& engine, const std::optional<Normalisation>& frame, const Range& in_frame) {
  const Framing& framing = engine->framing();
  ContextOptions options = engine->options();
  options.range = framing.range;
  options.frame =
      frame ? *frame : find_checked_frame(engine->model(), framing.waiting_x, framing.waiting_y, finding(options));
  auto framed = open_engine(engine->model(), options, in_frame);
  framed->set_arms(engine->arms());
  framed->unusual() = engine->unusual();
  take_in(*framed, framing.waiting_x, framing.waiting_y);
  framed->framing().found = true;
  if (rolls(*framed)) framed->framing().recent = {framing.waiting_x, framing.waiting_y, 0};
  engine = std::move(framed);
}

std::unique_ptr<ContextEngine> settled(const ContextEngine& engine) {
  auto copy = std::make_unique<ContextEngine>(engine, engine.options());
  if (waits(*copy)) settle(copy);
  return copy;
}

void predict_waiting(ContextEngine& engine, std::span<const double> x, std::span<double> mean, std::span<double> std) {
  constexpr double kWiden = 3;  // of one point, its spread is a guess; of many, hardly
  const Config& config = engine.model().config();
  const Normalisation& own = engine.model().normalisation();
  const Framing& framing = engine.framing();
  const std::size_t targets = count_points(boundless(config), x);
  std::vector<double> centre;
  for (std::size_t i = 0; i < targets * config.dim_x; ++i) centre.push_back(own.x_shift[i % config.dim_x]);
  engine.predict(centre, mean, std);  // nothing is taken in yet, so that it is the same everywhere
  const Normalisation frame = find_frame(framing.waiting_x, framing.waiting_y, config, false, false);
  const double points = static_cast<double>(std::max<std::size_t>(1, framing.waiting_x.size() / config.dim_x));
  y_out_of_frame(x, mean, frame);
  deviations_out_of_frame(std, frame);
  for (double& one : std) one *= 1 + kWiden / points;
}

}  // namespace cmanp::runtime
