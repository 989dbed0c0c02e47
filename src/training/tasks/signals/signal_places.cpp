#include "training/tasks/signals/signal_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/frame.hpp"

namespace cmanp::training {
namespace {

constexpr double kBatchesWithin = 0.25;  // the share of batches without forecasts
constexpr double kLeastHorizon = 0.05;   // in widths
constexpr double kFarthestPlace = 12;  // beyond the range, in the frame's units: what lies farther is alike, and costs
constexpr double kAmongObserved = 0.15, kInGaps = 0.3;

std::vector<double> thinned(std::size_t count, Random& random) {
  const auto slots = static_cast<std::size_t>(std::ceil(static_cast<double>(count) / random.uniform(0.5, 1)));
  std::vector<double> places;
  for (std::size_t slot = 0; slot < slots; ++slot) {  // each subset as likely as any other
    const auto missing = static_cast<double>(count - places.size());
    if (random.uniform() * static_cast<double>(slots - slot) < missing) places.push_back(static_cast<double>(slot));
  }
  return places;
}

std::vector<double> clustered(std::size_t count, Random& random) {
  std::vector<double> centres(1 + random.below(6));
  for (double& centre : centres) centre = random.uniform();
  const double deviation = log_uniform(0.01, 0.1, random);
  std::vector<double> places(count);
  for (double& place : places) place = centres[random.below(centres.size())] + deviation * random.normal();
  return places;
}

std::vector<double> repeated(std::size_t count, Random& random) {
  std::vector<double> distinct(2 + count / static_cast<std::size_t>(log_uniform(2, 20, random)));
  for (double& place : distinct) place = random.uniform();
  std::vector<double> places(count);
  for (double& place : places) place = distinct[random.below(distinct.size())];
  return places;
}

std::vector<double> draw_observed(std::size_t count, Random& random) {
  const double kind = random.uniform();
  std::vector<double> places(count);
  if (kind < 0.3) {
    std::iota(places.begin(), places.end(), 0.0);
  } else if (kind < 0.45) {
    places = thinned(count, random);
  } else if (kind < 0.75) {
    for (double& place : places) place = random.uniform();
  } else {
    places = kind < 0.9 ? clustered(count, random) : repeated(count, random);
  }
  return places;
}

// Moves apart what lies on both sides of a place within the range.
void insert_gap(std::vector<double>& places, Random& random) {
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  const double start = *low, width = *high - *low;
  const double at = start + width * random.uniform(0.1, 0.9), gap = width * log_uniform(0.1, 1, random);
  for (double& place : places) place += place > at ? gap : 0;
}

// Within the largest of some gaps between neighbours.
double within_a_gap(const std::vector<double>& ascending, Random& random) {
  std::size_t best = 0;
  for (int i = 0; i < 8; ++i) {
    const std::size_t next = random.below(ascending.size() - 1);
    if (i == 0 || ascending[next + 1] - ascending[next] > ascending[best + 1] - ascending[best]) best = next;
  }
  return random.uniform(ascending[best], ascending[best + 1]);
}

// More of them near the end: what comes next is asked for most.
double outside(const Extent& range, const Beyond& beyond, Random& random) {
  const double u = random.uniform(), width = range.width();
  const bool after = random.uniform() * (beyond.before + beyond.after) < beyond.after;
  const double reach = std::min(kFarthestPlace, (after ? beyond.after : beyond.before) * width);
  return after ? range.high + reach * u * u : range.low - reach * u * u;
}

}  // namespace

Beyond draw_beyond(const SignalPrior& prior, Random& random) {
  const double kind = random.uniform();
  const double horizon =
      prior.horizon <= kLeastHorizon ? prior.horizon : log_uniform(kLeastHorizon, prior.horizon, random);
  if (kind < kBatchesWithin || prior.forecasts == 0) return {};
  if (kind < 0.8) return {0, horizon};
  return kind < 0.9 ? Beyond{horizon, 0} : Beyond{horizon, horizon};
}

Places draw_places(const SignalPrior& prior, std::size_t observed, std::size_t asked, const Beyond& beyond,
                   Random& random) {
  Places places;
  places.observed = draw_observed(observed, random);
  for (int gap = 0; gap < 2 && observed > 2; ++gap) {
    if (random.uniform() < prior.gaps) insert_gap(places.observed, random);
  }
  const base::Scale frame = base::x_frame(places.observed);
  for (double& place : places.observed) place = frame(place);
  std::vector<double> ascending = places.observed;
  std::sort(ascending.begin(), ascending.end());
  if (ascending.size() > 1 && ascending.front() < ascending.back()) {
    places.range = {ascending.front(), ascending.back()};
  } else {
    places.range = {-0.5 * base::frame_width(observed), 0.5 * base::frame_width(observed)};
  }
  const bool forecasts = beyond.before + beyond.after > 0;
  for (std::size_t i = 0; i < asked; ++i) {
    const double kind = random.uniform(), other = random.uniform();
    if (forecasts && kind < prior.forecasts) {
      places.asked.push_back(outside(places.range, beyond, random));
    } else if (observed > 0 && other < kAmongObserved) {
      places.asked.push_back(places.observed[random.below(observed)]);
    } else if (observed > 1 && other < kAmongObserved + kInGaps) {
      places.asked.push_back(within_a_gap(ascending, random));
    } else {
      places.asked.push_back(random.uniform(places.range.low, places.range.high));
    }
  }
  return places;
}

}  // namespace cmanp::training
