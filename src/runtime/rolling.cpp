#include "runtime/rolling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <utility>

#include "base/frame.hpp"
#include "base/held_level.hpp"
#include "runtime/check_points.hpp"
#include "runtime/check_widths.hpp"
#include "runtime/framing.hpp"
#include "runtime/waiting.hpp"

namespace cmanp::runtime {
namespace {

constexpr std::size_t kLeastWindow = 16, kMostWindow = std::size_t{1} << 20;

// A part of points, row-major.
struct Points {
  std::span<const double> x, y;
  std::size_t dim_x, dim_y;

  std::size_t size() const { return x.size() / dim_x; }
  Points first(std::size_t n) const { return {x.first(n * dim_x), y.first(n * dim_y), dim_x, dim_y}; }
  Points from(std::size_t n) const { return {x.subspan(n * dim_x), y.subspan(n * dim_y), dim_x, dim_y}; }
};

void append(Recent& recent, const Points& points) {
  recent.x.insert(recent.x.end(), points.x.begin(), points.x.end());
  recent.y.insert(recent.y.end(), points.y.begin(), points.y.end());
}

// In the frame's units: a little behind the data, and ahead as far as they may go before the next time, with room for
// forecasts. Less than a model's own range, so that updates cost less.
Range range_around(const Recent& recent, std::size_t dim_x) {
  constexpr double kBehind = 1, kAhead = 4;
  const double width = base::frame_width(recent.x.size() / dim_x);
  return {std::vector<double>(dim_x, -0.5 * width - kBehind), std::vector<double>(dim_x, 1.5 * width + kAhead)};
}

// How many observations there are to be when the state is next made anew.
std::size_t full_at(const Recent& recent, std::size_t warm_up) {
  return std::max(recent.kept + (recent.gap > 0 ? recent.gap : recent.kept), warm_up);
}

enum class Why { enough, level };

// Of these observations, or as many of the latest as the window has. Of a new level little is known yet, so that the
// frame is looked for again soon, and then each time after twice as many as before.
void make_anew(std::unique_ptr<ContextEngine>& engine, Recent recent, Why why = Why::enough) {
  const Config& config = engine->model().config();
  const Framing& framing = engine->framing();
  ContextOptions options = engine->options();
  const std::size_t count = recent.x.size() / config.dim_x;
  const std::size_t forgotten = count - std::min(count, options.window);
  recent.x.erase(recent.x.begin(), recent.x.begin() + static_cast<std::ptrdiff_t>(forgotten * config.dim_x));
  recent.y.erase(recent.y.begin(), recent.y.begin() + static_cast<std::ptrdiff_t>(forgotten * config.dim_y));
  recent.kept = count - forgotten;
  recent.gap = why == Why::level ? std::min(recent.kept, options.warm_up) : 2 * recent.gap;
  if (recent.gap >= recent.kept) recent.gap = 0;
  Range in_frame;
  options.range = framing.range;
  if (framing.found) {
    options.frame = find_checked_frame(engine->model(), recent.x, recent.y, finding(options));
    if (config.relative() && framing.range.empty()) in_frame = range_around(recent, config.dim_x);
  } else {
    options.frame = framing.frame;
  }
  auto made = open_engine(engine->model(), options, in_frame);
  made->set_arms(engine->arms());
  made->unusual() = engine->unusual();
  take_in(*made, recent.x, recent.y);
  made->framing().found = framing.found;
  made->framing().recent = std::move(recent);
  engine = std::move(made);
}

// The first of these with which a column of y has left the frame for good, as far as one can tell by then; their number
// where none has. Of what the frame was found by, nothing counts: it is as wide as that can make it.
std::size_t first_of_a_level(const ContextEngine& engine, const Points& points) {
  const Framing& framing = engine.framing();
  const Recent& recent = framing.recent;
  const std::size_t there = recent.x.size() / points.dim_x;
  const std::size_t before = std::min(base::kHeld - 1, there - std::min(there, recent.kept));
  Recent last;
  append(last, Points{recent.x, recent.y, points.dim_x, points.dim_y}.from(there - before));
  append(last, points);
  const std::vector<double> y = y_into_frame(last.x, last.y, *framing.frame);
  std::size_t first = before + points.size();
  for (std::size_t c = 0; c < points.dim_y; ++c) {
    first = std::min(first, base::first_held(column(y, c, points.dim_y)));
  }
  return first - before;
}

void take_all(std::unique_ptr<ContextEngine>& engine, Points points) {
  while (points.size() > 0) {
    Framing& framing = engine->framing();
    if (waits(*engine)) {
      const std::size_t there = framing.waiting_x.size() / points.dim_x;
      const std::size_t some = std::min(points.size(), engine->options().warm_up - there);
      wait_or_settle(engine, points.x.first(some * points.dim_x), points.y.first(some * points.dim_y));
      if (!waits(*engine)) make_anew(engine, engine->framing().recent);  // over a range of this kind
      points = points.from(some);
      continue;
    }
    const Recent& recent = framing.recent;
    const std::size_t full = full_at(recent, engine->options().warm_up);
    const std::size_t room = full - std::min(full, recent.x.size() / points.dim_x);
    const Points some = points.first(std::min(points.size(), room));
    const bool follows = framing.found && framing.range.empty();
    const std::size_t inside = follows ? std::min(some.size(), first_outside(*engine, some.x)) : some.size();
    if (framing.found && points.dim_x == 1) {
      const std::size_t level = first_of_a_level(*engine, some.first(inside));
      if (level < inside) {
        Recent all = recent;
        append(all, points.first(level + 1));
        make_anew(engine, std::move(all), Why::level);
        points = points.from(level + 1);
        continue;
      }
    }
    take_in(*engine, some.first(inside).x, some.first(inside).y);
    // One that lies beyond is among those that the next range is found by.
    const std::size_t taken = std::min(points.size(), inside < some.size() ? inside + 1 : inside);
    append(framing.recent, points.first(inside));
    if (inside < taken || recent.x.size() / points.dim_x >= full) {
      Recent all = recent;
      append(all, points.first(taken).from(inside));
      make_anew(engine, std::move(all));
    }
    points = points.from(taken);
  }
}

}  // namespace

void check_window(const ContextOptions& options) {
  if (options.window == 0 || (options.window >= kLeastWindow && options.window <= kMostWindow)) return;
  throw Error(
      fmt::format("a window must be from {} to {} observations, not {}", kLeastWindow, kMostWindow, options.window),
      ErrorKind::argument);
}

std::size_t window_bytes(const ContextOptions& options, const Config& config) {
  return 2 * options.window * (config.dim_x + config.dim_y) * sizeof(double);
}

void observe_rolling(std::unique_ptr<ContextEngine>& engine, std::span<const double> x, std::span<const double> y) {
  const Config& config = engine->model().config();
  const std::size_t count = count_points(boundless(config), x, y);
  const Points points{x, y, config.dim_x, config.dim_y};
  if (count == 0) return;
  if (count == 1) return take_all(engine, points);  // whole or not at all, without a copy
  auto copy = std::make_unique<ContextEngine>(*engine, engine->options());
  take_all(copy, points);
  engine = std::move(copy);
}

}  // namespace cmanp::runtime
