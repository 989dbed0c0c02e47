#include "measures/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace cmanp::measures {
namespace {

constexpr std::size_t kMostForNoise = 4096;
constexpr std::size_t kLeastForNoise = 30;
constexpr double kMuchNoise = 2;      // times what is known
constexpr double kBeyond = 0.25;      // of the known range of x, at either end: answers fade, they do not break at once
constexpr double kOfMedian = 1.4826;  // a normal's deviation for its median distance

// By how much each of `y`, in the order of `x`, is off the line between those `step` places before and behind it, in
// units such as independent noise of deviation 1 would make 1 on average.
double roughness(std::span<const double> x, std::span<const double> y, std::size_t step) {
  std::vector<double> off;
  for (std::size_t i = step; i + step < x.size(); ++i) {
    const double width = x[i + step] - x[i - step];
    const double right = width > 0 ? (x[i] - x[i - step]) / width : 0.5, left = 1 - right;
    const double line = left * y[i - step] + right * y[i + step];
    off.push_back(std::abs(y[i] - line) / std::sqrt(1 + left * left + right * right));
  }
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::nth_element(off.begin(), middle, off.end());
  return kOfMedian * *middle;
}

}  // namespace

double noise_of(std::span<const double> x, std::span<const double> y) {
  if (x.size() < kLeastForNoise) return 0;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> sorted_x, sorted_y;
  for (const std::size_t i : order) {
    sorted_x.push_back(x[i]);
    sorted_y.push_back(y[i]);
  }
  // A function is further off its lines over longer ones, four times so if it is smooth; noise is as far off.
  const double near = roughness(sorted_x, sorted_y, 1), far = roughness(sorted_x, sorted_y, 2);
  return far <= 1.5 * near ? near : 0;
}

Watch::Watch(std::string model, Knowledge knowledge, Normalisation units)
    : model_(std::move(model)), knowledge_(std::move(knowledge)), units_(std::move(units)) {}

void Watch::Seen::add(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void Watch::add(Channels& channels, std::span<const double> values) {
  const std::size_t width = channels.size();
  for (std::size_t i = 0; i < values.size(); ++i) channels[i % width].add(values[i]);
}

namespace {

template <class Channels>
void begin(Channels& channels, std::span<const double> values, std::size_t width) {
  if (!channels.empty() || values.size() < width) return;
  for (std::size_t c = 0; c < width; ++c) channels.push_back({values[c], values[c]});
}

}  // namespace

void Watch::see(std::span<const double> x, std::span<const double> y) {
  begin(x_, x, units_.x_shift.size());
  begin(y_, y, units_.y_shift.size());
  if (x.empty()) return;
  add(x_, x);
  add(y_, y);
  if (units_.x_shift.size() > 1 || units_.y_shift.size() > 1) return;
  const std::size_t more = std::min(x.size(), kMostForNoise - std::min(kMostForNoise, first_x_.size()));
  first_x_.insert(first_x_.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(more));
  first_y_.insert(first_y_.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(more));
}

void Watch::see_targets(std::span<const double> x) {
  begin(target_x_, x, units_.x_shift.size());
  if (!x.empty()) add(target_x_, x);
}

// "x from 0 to 3600, which knows -2 to 2", or an empty string.
std::string Watch::outside(const char* name, const Channels& seen, std::size_t c, const Interval& known, double shift,
                           double scale, double beyond) {
  const double low = (seen[c].low - shift) / scale, high = (seen[c].high - shift) / scale;
  if (low >= known.low - beyond && high <= known.high + beyond) return {};
  const std::string number = seen.size() == 1 ? "" : std::to_string(c + 1);
  const std::string there = seen[c].low == seen[c].high
                                ? fmt::format("is {:.6g}", seen[c].low)
                                : fmt::format("from {:.6g} to {:.6g}", seen[c].low, seen[c].high);
  return fmt::format("{}{} {} (it knows {:.6g} to {:.6g})", name, number, there, known.low * scale + shift,
                     known.high * scale + shift);
}

std::string Watch::beyond(const Channels& x, const char* name_of_x, const Channels& y) const {
  std::string wrong;
  for (std::size_t c = 0; c < x.size() && wrong.empty(); ++c) {
    const auto known = knowledge_.x_of(c);
    if (!known) continue;
    wrong =
        outside(name_of_x, x, c, *known, units_.x_shift[c], units_.x_scale[c], kBeyond * (known->high - known->low));
  }
  for (std::size_t c = 0; c < y.size() && knowledge_.y; ++c) {
    const std::string of_y = outside("y", y, c, *knowledge_.y, units_.y_shift[c], units_.y_scale[c], 0);
    if (of_y.empty()) continue;
    wrong += (wrong.empty() ? "" : ", and ") + of_y;
    break;
  }
  if (wrong.empty()) return {};
  return fmt::format(
      "beyond what the model knows: {}; give it units of yours by `cmanp units {} --x FROM:TO --y LOW:HIGH "
      "-o MINE`, or take a model that finds them",
      wrong, model_);
}

std::string Watch::noise() const {
  if (!knowledge_.noise || first_x_.empty()) return {};
  const double known = *knowledge_.noise * units_.y_scale[0], found = noise_of(first_x_, first_y_);
  if (found <= kMuchNoise * known) return {};
  return fmt::format(
      "the observations scatter by {:.2g}, and the model knows noise of {:.2g} at most: its deviations will be too "
      "small; "
      "`cmanp calibrate --model {} --data FILE -o MINE` makes them honest",
      found, known, model_);
}

std::string Watch::objection(std::span<const double> x, std::span<const double> y) const {
  Channels of_x, of_y;
  begin(of_x, x, units_.x_shift.size());
  begin(of_y, y, units_.y_shift.size());
  if (!of_x.empty()) add(of_x, x);
  if (!of_y.empty()) add(of_y, y);
  return beyond(of_x, "x", of_y);
}

std::vector<std::string> Watch::warnings() const {
  std::vector<std::string> all;
  if (!knowledge_.trained) {
    all.push_back(
        fmt::format("{} is untrained: its weights are random, and so are its answers; take one that is, such "
                    "as `--model gp`, or `cmanp train` one",
                    model_));
  }
  const std::string observed = beyond(x_, "x", y_), asked = beyond(target_x_, "the targets' x", {});
  for (const std::string& wrong : {observed, observed.empty() ? asked : std::string(), noise()}) {
    if (!wrong.empty()) all.push_back(wrong);
  }
  return all;
}

}  // namespace cmanp::measures
