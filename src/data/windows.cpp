#include "data/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "data/row_tasks.hpp"

namespace cmanp::data {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr int kTries = 100;               // places in a series that gaps may have left without points
constexpr std::uint64_t kKnownAhead = 4;  // of so many joint forecasts, one knows of what is to come of some columns

// The first point of a series beyond x.
std::size_t first_after(const Series& series, double x) {
  return static_cast<std::size_t>(std::upper_bound(series.x.begin(), series.x.end(), x) - series.x.begin());
}

void take_range(std::vector<std::size_t>& points, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) points.push_back(i);
}

// A context that says how large changes are.
bool varies(const Window& window) {
  const Values& values = window.series->values;
  return std::any_of(window.context.begin(), window.context.end(),
                     [&](std::size_t i) { return values[i] != values[window.context[0]]; });
}

bool has_varied_units(const Window& window) { return has_units(window) && varies(window); }

}  // namespace

std::vector<double> Window::context_values() const {
  std::vector<double> values;
  values.reserve(context.size());
  for (const std::size_t i : context) values.push_back(series->values[i]);
  return values;
}

base::Scale context_units(const std::vector<double>& context, bool robust) {
  if (robust) return base::y_frame(context);
  if (context.empty()) return {};
  double mean = 0, squares = 0;
  for (const double value : context) mean += value / static_cast<double>(context.size());
  for (const double value : context) squares += (value - mean) * (value - mean) / static_cast<double>(context.size());
  const double deviation = std::sqrt(squares);
  if (std::isfinite(deviation) && deviation > 1e-9 * std::abs(mean)) return {mean, deviation};
  return base::y_frame(context);
}

Windows::~Windows() = default;

std::size_t Windows::trained_on() const {
  if (rows_) return rows_->trained_on();
  return std::accumulate(trainable_.begin(), trainable_.end(), std::size_t{0},
                         [](std::size_t sum, const Block& block) { return sum + block.size(); });
}

Windows::Windows(SeriesSet set, const WindowPlan& plan) : set_(std::move(set)), plan_(plan) {
  std::set<std::string> names;
  for (const Series& series : set_.series) {
    names.insert(series.group);
    columns_ = std::max(columns_, series.column + 1);
  }
  const bool by_group = plan_.parts == "group" || plan_.parts == "both";
  if (by_group) groups_ = GroupParts(names, plan_.test_share, plan_.split_seed);
  if (plan_.rows) {
    rows_ = std::make_unique<RowTasks>(set_, plan_, groups_);
    left_out_ = rows_->left_out();
    return;
  }
  const std::vector<Block> blocks = blocks_of(set_, plan_.jointly);
  if (plan_.jointly) {
    for (const Block block : blocks) {
      double end = -kForever;
      for (const Series& series : block) end = std::max(end, series.x.back());
      ends_.insert(ends_.end(), block.size(), end);
    }
  }
  for (const Block block : blocks) {
    const Stretch own = stretch(block.front(), Part::train);
    if (own.empty()) continue;
    // As much as any training window needs: some context and a target.
    const auto long_enough = std::count_if(block.begin(), block.end(), [&](const Series& series) {
      return first_after(series, own.high) > kLeastContext;
    });
    left_out_ += block.size() - static_cast<std::size_t>(long_enough);
    if (long_enough > 0) trainable_.push_back(block);
  }
  if (trainable_.empty()) {
    const double unit = part_unit() / plan_.step;
    throw Error(fmt::format(
        "no series is long enough: each keeps {:g} steps for the test and {:g} for validation, and needs "
        "three rows before them",
        unit * static_cast<double>(plan_.test_windows), unit * static_cast<double>(plan_.validation_windows)));
  }
}

// Only a forecast's context may lie in the parts before: it is known by then.
double Windows::part_unit() const {
  const bool forecasts_only = plan_.splits == std::vector{Split::forecast};
  return forecasts_only ? plan_.horizon_length() : std::max(plan_.window_length(), plan_.horizon_length());
}

Stretch Windows::stretch(const Series& series, Part part) const {
  // Of all columns of a task the same: what one is asked for, another may not tell in training.
  const double end = ends_.empty() ? series.x.back() : ends_[static_cast<std::size_t>(&series - set_.series.data())];
  const double unit = part_unit();
  const double test = unit * static_cast<double>(plan_.test_windows);
  const double validation = unit * static_cast<double>(plan_.validation_windows);
  const bool by_time = plan_.parts != "group";
  if (plan_.parts != "time" && groups_.of(series.group) != part) return {kForever, -kForever};
  // Ends lie between points, whatever rounding made of them.
  const double test_begin = end - test + tolerance(), validation_begin = test_begin - validation;
  switch (part) {
    case Part::train:
      return {-kForever, by_time ? validation_begin : end};
    case Part::validation:
      return by_time ? Stretch{validation_begin, test_begin}
                     : Stretch{end - std::max(validation, unit) + tolerance(), end};
    case Part::test:
      return {test_begin, end};
  }
  return {kForever, -kForever};
}

Windows::Shape Windows::draw_shape(base::Random& random) const {
  const Split split = plan_.splits[random.below(plan_.splits.size())];
  Shape shape{split, random.uniform()};
  if (!plan_.jointly) return shape;
  if (split == Split::gaps && random.below(2) == 0) shape.place = random.uniform();
  if ((split == Split::forecast || plan_.rows) && random.below(kKnownAhead) == 0) {
    // Of one column nothing, of each other all, some or nothing.
    const std::size_t asked = random.below(columns_);
    for (std::size_t i = 0; i < columns_; ++i) {
      const double share = random.uniform(-1, 2);
      shape.known.push_back(i == asked ? 0 : std::clamp(share, 0.0, 1.0));
    }
  }
  return shape;
}

// Context up to x = origin, and up to the share of the horizon that is known; targets behind it, up to x = end.
Window Windows::forecast_at(const Series& series, double origin, double end, double known) const {
  Window window{&series, origin, {}, {}};
  const double until = std::min(end, origin + plan_.horizon_length() + tolerance());
  const double given = known > 0 ? std::min(until, origin + known * plan_.horizon_length() + tolerance()) : origin;
  const std::size_t behind = first_after(series, given);
  take_range(window.context, first_after(series, origin - plan_.window_length() + tolerance()), behind);
  take_range(window.targets, behind, first_after(series, until));
  return window;
}

// The window that ends at x = end, cut by chance into context and targets.
Window Windows::cut_out(const Series& series, double end, const Shape& shape, base::Random& random) const {
  const double begin = end - plan_.window_length() + tolerance();
  const std::size_t first = first_after(series, begin), behind = first_after(series, end + tolerance());
  Window window{&series, end, {}, {}};
  if (shape.split == Split::gaps) {
    const double length = plan_.step + shape.share * std::max(0.0, plan_.horizon_length() - plan_.step);
    const double latest = std::max(begin, end - length);
    const double low = shape.place < 0 ? random.uniform(begin, latest) : std::lerp(begin, latest, shape.place);
    const double high = low + length;
    for (std::size_t i = first; i < behind; ++i) {
      (series.x[i] > low && series.x[i] <= high ? window.targets : window.context).push_back(i);
    }
    return window;
  }
  // Each so many of those that are left: any choice is as likely as any other.
  const std::size_t all = behind - first;
  std::size_t wanted =
      all < 3 ? 0
              : std::clamp<std::size_t>(static_cast<std::size_t>(shape.share * static_cast<double>(all)), 2, all - 1);
  for (std::size_t i = first; i < behind; ++i) {
    const bool chosen = random.below(behind - i) < wanted;
    if (chosen) --wanted;
    (chosen ? window.context : window.targets).push_back(i);
  }
  return window;
}

// Where a task of the training part may have its origin.
double Windows::draw_place(const Series& series, const Stretch& within, const Shape& shape,
                           base::Random& random) const {
  const std::size_t behind = first_after(series, within.high);  // points [0, behind) may be used
  if (shape.split == Split::forecast) {
    // Whole contexts and whole horizons where the series has room for them.
    const std::size_t most = behind - 1;  // a last known point lies before it
    const double latest = series.x[behind - 1] - plan_.horizon_length() + tolerance();
    std::size_t high = std::min(first_after(series, latest), most);
    std::size_t low =
        std::min(first_after(series, series.x[0] + plan_.window_length() - plan_.step - tolerance()), most);
    if (high == 0) high = most;
    if (low >= high) low = std::min<std::size_t>(kLeastContext - 1, high - 1);
    return series.x[low + random.below(high - low)];
  }
  const std::size_t low =
      std::min(first_after(series, series.x[0] + plan_.window_length() - plan_.step - tolerance()), behind - 1);
  return series.x[low + random.below(behind - low)];
}

std::vector<Window> Windows::task_at(Block block, double place, const Stretch& within, const Shape& shape,
                                     base::Random& random) const {
  std::vector<Window> task;
  for (const Series& series : block) {
    const double known = shape.known.empty() ? 0 : shape.known[series.column];
    task.push_back(shape.split == Split::forecast ? forecast_at(series, place, within.high, known)
                                                  : cut_out(series, place, shape, random));
  }
  return task;
}

std::vector<Window> Windows::draw(const Shape& shape, base::Random& random) const {
  if (rows_) return rows_->draw(shape.share, shape.known, random);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Block block = trainable_[random.below(trainable_.size())];
    const Series& leads = block.size() == 1 ? block[0] : block[random.below(block.size())];
    const Stretch within = stretch(leads, Part::train);
    if (first_after(leads, within.high) <= kLeastContext) continue;
    std::vector<Window> task = task_at(block, draw_place(leads, within, shape, random), within, shape, random);
    if (keep_usable(task, has_varied_units)) return task;
  }
  throw Error(
      fmt::format("{} windows in a row had too few points to learn from, or always the same value: is the "
                  "window of {} steps of {:g} right for this table?",
                  kTries, plan_.window, plan_.step));
}

// One behind the other, each from the last place at which anything is known.
void Windows::add_forecasts(Block block, const Stretch& own, const Shape& shape, base::Random& random,
                            std::vector<Window>& found) const {
  double from = kForever;
  for (const Series& series : block) from = std::min(from, series.x.front());
  from = std::max(own.low, from);
  while (true) {
    double next = kForever, origin = -kForever;
    for (const Series& series : block) {
      const std::size_t after = first_after(series, from);
      if (after < series.x.size()) next = std::min(next, series.x[after]);
      if (after > 0) origin = std::max(origin, series.x[after - 1]);
    }
    if (next > own.high) return;
    from = std::max(next, std::min(own.high, origin + plan_.horizon_length() + tolerance()));
    std::vector<Window> task = task_at(block, origin, own, shape, random);
    if (keep_usable(task, has_units)) add_task(std::move(task), found);
  }
}

void Windows::add_cut_outs(Block block, const Stretch& own, const Shape& shape, base::Random& random,
                           std::vector<Window>& found) const {
  double begin = kForever;
  for (const Series& series : block) begin = std::min(begin, series.x.front());
  const auto inside = [&](const Window& window) {
    for (const auto* points : {&window.context, &window.targets}) {
      if (!points->empty() && window.series->x[points->front()] <= own.low) return false;
    }
    return true;
  };
  for (double end = own.high; end > std::max(own.low, begin); end -= plan_.window_length()) {
    std::vector<Window> task = task_at(block, end, own, shape, random);
    if (std::all_of(task.begin(), task.end(), inside) && keep_usable(task, has_units)) {
      add_task(std::move(task), found);
    }
  }
}

std::vector<Window> Windows::all(Part part, std::uint64_t seed) const {
  if (rows_) return rows_->all(part, seed);
  std::vector<Window> found;
  for (const Block block : blocks_of(set_, plan_.jointly)) {
    const Series& first = block.front();
    const Stretch own = stretch(first, part);
    if (own.empty()) continue;
    base::Random random(hash_of(first.group + "\n" + first.y, seed), plan_.split_seed);
    const Shape shape{plan_.splits[random.below(plan_.splits.size())], random.uniform()};
    if (shape.split == Split::forecast) {
      add_forecasts(block, own, shape, random, found);
    } else {
      add_cut_outs(block, own, shape, random, found);
    }
  }
  return found;
}

bool has_units(const Window& window) { return window.context.size() >= kLeastContext; }

bool keep_usable(std::vector<Window>& task, bool (*asks)(const Window&)) {
  for (Window& window : task) {
    if (!asks(window)) window.targets.clear();
  }
  std::erase_if(task, [](const Window& window) { return window.context.empty() && window.targets.empty(); });
  return std::any_of(task.begin(), task.end(), [](const Window& window) { return !window.targets.empty(); });
}

std::vector<std::span<const Series>> blocks_of(const SeriesSet& set, bool jointly) {
  std::vector<std::span<const Series>> blocks;
  const std::span<const Series> all(set.series);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && (end == begin || (jointly && all[end].group == all[begin].group))) ++end;
    blocks.push_back(all.subspan(begin, end - begin));
  }
  return blocks;
}

void add_task(std::vector<Window> task, std::vector<Window>& windows) {
  if (task.size() == 1) return windows.push_back(std::move(task[0]));
  const auto shared = std::make_shared<const std::vector<Window>>(std::move(task));
  for (const Window& window : *shared) {
    if (window.targets.empty()) continue;
    windows.push_back(window);
    windows.back().task = shared;
  }
}

}  // namespace cmanp::data
