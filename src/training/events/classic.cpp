#include "training/events/classic.hpp"

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "events/time_scale.hpp"

namespace cmanp::training::events {
namespace {

using cmanp::events::event_times;
using cmanp::events::EventTime;

// What past events add to the intensity, kernel by kernel.
class Excitation {
 public:
  explicit Excitation(const HawkesProcess& process) : process_(process), now_(process.kernels.size()) {}

  double intensity(double later) const {
    double sum = process_.rate;
    for (std::size_t k = 0; k < now_.size(); ++k) sum += now_[k] * std::exp(-process_.kernels[k].decay * later);
    return sum;
  }
  // The integral of the intensity from now on.
  double compensator(double duration) const {
    double sum = process_.rate * duration;
    for (std::size_t k = 0; k < now_.size(); ++k) {
      const double decay = process_.kernels[k].decay;
      sum -= now_[k] * std::expm1(-decay * duration) / decay;
    }
    return sum;
  }
  void advance(double gap) {
    for (std::size_t k = 0; k < now_.size(); ++k) now_[k] *= std::exp(-process_.kernels[k].decay * gap);
  }
  void add_event() {
    for (std::size_t k = 0; k < now_.size(); ++k) now_[k] += process_.kernels[k].jump * process_.kernels[k].decay;
  }
  // The mean time to the next event: the integral of survival, over steps that grow with the time passed.
  double mean_gap() const {
    constexpr double kNothing = 25;  // of the compensator: exp(-25) is left
    const double first = 1e-4 / intensity(0);
    double mean = 0, from = 0, survival = 1;
    for (double step = first; compensator(from) < kNothing; step = std::max(first, 0.05 * from)) {
      const double middle = std::exp(-compensator(from + step / 2)), end = std::exp(-compensator(from + step));
      mean += step * (survival + 4 * middle + end) / 6;
      survival = end;
      from += step;
    }
    return mean;
  }

 private:
  const HawkesProcess& process_;
  std::vector<double> now_;
};

// Calls `event` with every event to be predicted, before it enters, and `survival` with the time after the last one.
template <class OnEvent, class OnSurvival>
void walk(const HawkesProcess& process, const Sequence& sequence, const Window& window, const OnEvent& event,
          const OnSurvival& survival) {
  Excitation excitation(process);
  for (const EventTime& time : event_times(sequence, window)) {
    if (time.has_gap) event(time, excitation);
    excitation.advance(time.gap);
    excitation.add_event();
  }
  if (window.to && !sequence.times.empty()) survival(*window.to - sequence.times.back(), excitation);
}

using Point = std::array<double, 3>;

// The point with the least value, near `start`.
Point nelder_mead(const std::function<double(const Point&)>& value, const Point& start) {
  struct Corner {
    Point at;
    double value;
  };
  std::array<Corner, 4> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    corners[i].at = start;
    if (i > 0) corners[i].at[i - 1] += 1;
    corners[i].value = value(corners[i].at);
  }
  for (int iteration = 0; iteration < 300; ++iteration) {
    std::sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) { return a.value < b.value; });
    Corner& worst = corners.back();
    if (worst.value - corners.front().value < 1e-9 * std::abs(worst.value)) break;
    const auto along = [&](double factor) {  // from the middle of the others, away from the worst
      Corner moved;
      for (std::size_t i = 0; i < 3; ++i) {
        const double middle = (corners[0].at[i] + corners[1].at[i] + corners[2].at[i]) / 3;
        moved.at[i] = middle + factor * (middle - worst.at[i]);
      }
      moved.value = value(moved.at);
      return moved;
    };
    const Corner reflected = along(1);
    if (reflected.value < corners[0].value) {
      const Corner expanded = along(2);
      worst = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < corners[2].value) {
      worst = reflected;
    } else if (const Corner contracted = along(-0.5); contracted.value < worst.value) {
      worst = contracted;
    } else {
      for (std::size_t c = 1; c < corners.size(); ++c) {
        for (std::size_t i = 0; i < 3; ++i) corners[c].at[i] = (corners[c].at[i] + corners[0].at[i]) / 2;
        corners[c].value = value(corners[c].at);
      }
    }
  }
  return std::min_element(corners.begin(), corners.end(),
                          [](const Corner& a, const Corner& b) { return a.value < b.value; })
      ->at;
}

}  // namespace

double log_likelihood(const HawkesProcess& process, const std::vector<Sequence>& sequences, const Window& window) {
  double sum = 0;
  for (const Sequence& sequence : sequences) {
    walk(
        process, sequence, window,
        [&](const EventTime& time, const Excitation& now) {
          sum += std::log(now.intensity(time.gap)) - now.compensator(time.gap);
        },
        [&](double rest, const Excitation& now) { sum -= now.compensator(rest); });
  }
  return sum;
}

HawkesProcess fit_poisson(const std::vector<Sequence>& sequences, const Window& window) {
  double events = 0, time = 0;
  for (const Sequence& sequence : sequences) {
    walk(
        {}, sequence, window,
        [&](const EventTime& when, const Excitation&) {
          ++events;
          time += when.gap;
        },
        [&](double rest, const Excitation&) { time += rest; });
  }
  if (events == 0 || !(time > 0)) throw Error("no events to fit a process to");
  return {events / time, {}};
}

HawkesProcess fit_hawkes(const std::vector<Sequence>& sequences, const Window& window) {
  const double mean_rate = fit_poisson(sequences, window).rate;
  const auto process_at = [&](const Point& p) {
    // A jump below one keeps the process from exploding.
    return HawkesProcess{mean_rate * std::exp(p[0]), {{1 / (1 + std::exp(-p[1])), mean_rate * std::exp(p[2])}}};
  };
  const auto cost = [&](const Point& p) {
    const double value = -log_likelihood(process_at(p), sequences, window);
    return std::isfinite(value) ? value : std::numeric_limits<double>::max();
  };
  // Short and long memories are separate valleys: from each, the better end.
  Point best{};
  double least = std::numeric_limits<double>::infinity();
  for (const double log_decay : {0.0, 5.0}) {
    const Point found = nelder_mead(cost, {-0.7, 0.0, log_decay});
    if (const double value = cost(found); value < least) {
      least = value;
      best = found;
    }
  }
  return process_at(best);
}

std::vector<double> count_marks(const std::vector<Sequence>& sequences, std::size_t marks) {
  std::vector<double> counts(marks, 1.0);
  for (const Sequence& sequence : sequences) {
    for (const std::uint32_t mark : sequence.marks) ++counts[mark];
  }
  return counts;
}

cmanp::events::EventMetrics evaluate(const HawkesProcess& process, const std::vector<double>& mark_counts,
                                     const std::vector<Sequence>& sequences, const Window& window) {
  const double total = std::accumulate(mark_counts.begin(), mark_counts.end(), 0.0);
  cmanp::events::MetricsSum sum;
  for (const Sequence& sequence : sequences) {
    sum.begin_sequence(&sequence);
    walk(
        process, sequence, window,
        [&](const EventTime& time, const Excitation& now) {
          cmanp::events::ScoredEvent scored;
          scored.gap = time.gap;
          scored.log_density = std::log(now.intensity(time.gap)) - now.compensator(time.gap);
          scored.cdf = -std::expm1(-now.compensator(time.gap));
          scored.mean = now.mean_gap();
          if (!mark_counts.empty()) {
            const double count = mark_counts[sequence.marks[time.earlier]];
            scored.log_mark = std::log(count / total);
            scored.mark_rank = static_cast<std::size_t>(
                std::count_if(mark_counts.begin(), mark_counts.end(), [&](double other) { return other > count; }));
          }
          sum.add(scored);
        },
        [&](double rest, const Excitation& now) { sum.add_survival(-now.compensator(rest)); });
  }
  return sum.finish();
}

}  // namespace cmanp::training::events
