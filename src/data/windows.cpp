#include "data/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace cmanp::data {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::size_t kLeastContext = 2;
constexpr int kTries = 100;  // places in a series that gaps may have left without points

// Well mixed, the same everywhere (FNV-1a, then a finaliser).
std::uint64_t hash_of(const std::string& text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 33);
}

// The first point of a series beyond x.
std::size_t first_after(const Series& series, double x) {
  return static_cast<std::size_t>(std::upper_bound(series.x.begin(), series.x.end(), x) - series.x.begin());
}

void take_range(std::vector<std::size_t>& points, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) points.push_back(i);
}

bool usable(const Window& window) { return window.context.size() >= kLeastContext && !window.targets.empty(); }

// A context that says how large changes are.
bool varies(const Window& window) {
  const Values& values = window.series->values;
  return std::any_of(window.context.begin(), window.context.end(),
                     [&](std::size_t i) { return values[i] != values[window.context[0]]; });
}

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

Windows::Windows(SeriesSet set, const WindowPlan& plan) : set_(std::move(set)), plan_(plan) {
  std::set<std::string> names;
  for (const Series& series : set_.series) names.insert(series.group);
  if (plan_.parts != "time") {
    std::vector<std::string> order(names.begin(), names.end());
    std::sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
      return std::pair(hash_of(a, plan_.split_seed), a) < std::pair(hash_of(b, plan_.split_seed), b);
    });
    const auto some = static_cast<std::ptrdiff_t>(std::ceil(plan_.test_share * static_cast<double>(order.size())));
    if (static_cast<std::size_t>(2 * some) >= order.size()) {
      throw Error(
          fmt::format("{} groups are too few to set {} aside for the test and {} for validation; say --parts time",
                      order.size(), some, some));
    }
    test_groups_.assign(order.begin(), order.begin() + some);
    validation_groups_.assign(order.begin() + some, order.begin() + 2 * some);
    std::sort(test_groups_.begin(), test_groups_.end());
    std::sort(validation_groups_.begin(), validation_groups_.end());
  }
  for (const Series& series : set_.series) {
    const Stretch own = stretch(series, Part::train);
    if (own.empty()) continue;
    // As much as any training window needs: some context and a target.
    if (first_after(series, own.high) > kLeastContext) {
      trainable_.push_back(&series);
    } else {
      ++left_out_;
    }
  }
  if (trainable_.empty()) {
    const double unit = part_unit() / plan_.step;
    throw Error(fmt::format(
        "no series is long enough to train on: each keeps {:g} steps for the test and {:g} for validation, and needs "
        "three rows before them",
        unit * static_cast<double>(plan_.test_windows), unit * static_cast<double>(plan_.validation_windows)));
  }
}

Part Windows::part_of_group(const std::string& group) const {
  if (std::binary_search(test_groups_.begin(), test_groups_.end(), group)) return Part::test;
  if (std::binary_search(validation_groups_.begin(), validation_groups_.end(), group)) return Part::validation;
  return Part::train;
}

// Only a forecast's context may lie in the parts before: it is known by then.
double Windows::part_unit() const {
  const bool forecasts_only = plan_.splits == std::vector{Split::forecast};
  return forecasts_only ? plan_.horizon_length() : std::max(plan_.window_length(), plan_.horizon_length());
}

Stretch Windows::stretch(const Series& series, Part part) const {
  const double end = series.x.back();
  const double unit = part_unit();
  const double test = unit * static_cast<double>(plan_.test_windows);
  const double validation = unit * static_cast<double>(plan_.validation_windows);
  const bool by_time = plan_.parts != "group";
  if (plan_.parts != "time" && part_of_group(series.group) != part) return {kForever, -kForever};
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
  return {split, random.uniform()};
}

// Context up to point `last`, targets up to x = end.
Window Windows::forecast_from(const Series& series, std::size_t last, double end) const {
  Window window{&series, series.x[last], {}, {}};
  take_range(window.context, first_after(series, window.origin - plan_.window_length() + tolerance()), last + 1);
  const double until = std::min(end, window.origin + plan_.horizon_length() + tolerance());
  take_range(window.targets, last + 1, first_after(series, until));
  return window;
}

Window Windows::next_of(const Series& series) const {
  return forecast_from(series, series.x.size() - 1, series.x.back());
}

// The window that ends at x = end, cut by chance into context and targets.
Window Windows::cut_out(const Series& series, double end, const Shape& shape, base::Random& random) const {
  const double begin = end - plan_.window_length() + tolerance();
  const std::size_t first = first_after(series, begin), behind = first_after(series, end + tolerance());
  Window window{&series, end, {}, {}};
  if (shape.split == Split::gaps) {
    const double length = plan_.step + shape.share * std::max(0.0, plan_.horizon_length() - plan_.step);
    const double low = random.uniform(begin, std::max(begin, end - length)), high = low + length;
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

bool Windows::try_draw(const Series& series, const Stretch& within, const Shape& shape, base::Random& random,
                       Window& window) const {
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
    window = forecast_from(series, low + random.below(high - low), within.high);
  } else {
    const std::size_t low =
        std::min(first_after(series, series.x[0] + plan_.window_length() - plan_.step - tolerance()), behind - 1);
    window = cut_out(series, series.x[low + random.below(behind - low)], shape, random);
  }
  return usable(window) && varies(window);
}

Window Windows::draw(const Shape& shape, base::Random& random) const {
  Window window;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Series& series = *trainable_[random.below(trainable_.size())];
    if (try_draw(series, stretch(series, Part::train), shape, random, window)) return window;
  }
  throw Error(
      fmt::format("{} windows in a row had too few points to learn from, or always the same value: is the "
                  "window of {} steps of {:g} right for this table?",
                  kTries, plan_.window, plan_.step));
}

std::vector<Window> Windows::all(Part part, std::uint64_t seed) const {
  std::vector<Window> found;
  for (const Series& series : set_.series) {
    const Stretch own = stretch(series, part);
    if (own.empty()) continue;
    base::Random random(hash_of(series.group + "\n" + series.y, seed), plan_.split_seed);
    const double begin = std::max(own.low, series.x.front());
    const Shape shape{plan_.splits[random.below(plan_.splits.size())], random.uniform()};
    if (shape.split == Split::forecast) {
      for (std::size_t next = first_after(series, begin); next > 0 && next < series.x.size();) {
        if (series.x[next] > own.high) break;
        Window window = forecast_from(series, next - 1, own.high);
        next = window.targets.empty() ? next + 1 : window.targets.back() + 1;
        if (usable(window)) found.push_back(std::move(window));
      }
    } else {
      for (double end = own.high; end > begin; end -= plan_.window_length()) {
        Window window = cut_out(series, end, shape, random);
        const bool inside = !window.context.empty() && !window.targets.empty() &&
                            series.x[std::min(window.context[0], window.targets[0])] > own.low;
        if (inside && usable(window)) found.push_back(std::move(window));
      }
    }
  }
  return found;
}

}  // namespace cmanp::data
