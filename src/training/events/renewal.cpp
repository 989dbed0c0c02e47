#include "training/events/renewal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "events/mixture.hpp"
#include "events/time_scale.hpp"
#include "training/events/classic.hpp"

namespace cmanp::training::events {
namespace {

using cmanp::events::EventTime;
using cmanp::events::LogNormalMixture;
using cmanp::events::ScoredEvent;
using cmanp::events::TimeScale;

// The logarithms of gaps that came after events of one kind.
struct GapSums {
  double count = 0, sum = 0, squares = 0;

  void add(double log_gap, double times = 1) {
    count += times;
    sum += times * log_gap;
    squares += times * log_gap * log_gap;
  }
  double mean() const { return sum / count; }
  double variance() const { return std::max(squares / count - mean() * mean(), 0.0); }
};

// The kinds of events that came after one kind, and how often.
struct Followers {
  double count = 0;
  std::unordered_map<std::uint32_t, double> marks;
};

// How often each kind came; each counted once more than that, so that none is impossible.
class Shares {
 public:
  Shares(const std::vector<Sequence>& training, std::size_t marks) : of_(count_marks(training, marks)) {
    double total = 0;
    for (const double count : of_) total += count;
    for (double& share : of_) share /= total;
    ascending_ = of_;
    std::sort(ascending_.begin(), ascending_.end());
  }

  double of(std::uint32_t mark) const { return of_[mark]; }
  std::size_t above(double share) const {
    return static_cast<std::size_t>(ascending_.end() - std::upper_bound(ascending_.begin(), ascending_.end(), share));
  }

 private:
  std::vector<double> of_, ascending_;
};

class RenewalProcess {
 public:
  RenewalProcess(Renewal kind, const std::vector<Sequence>& training, std::size_t marks, const Window& window)
      : kind_(kind),
        marks_(marks),
        scale_(fit_time_scale(training, window)),
        shares_(training, marks),
        gaps_(rows()),
        followers_(rows()) {
    GapSums all;
    for (const Sequence& sequence : training) {
      for (const EventTime& time : event_times(sequence, window)) {
        const std::size_t row = row_before(sequence, time.earlier);
        if (time.has_gap) {
          gaps_[row].add(std::log(length(time)));
          all.add(std::log(length(time)));
        }
        if (marks > 0 && (time.has_gap || time.earlier > 0)) count_follower(sequence, time.earlier, row);
      }
    }
    // As if one more gap, as they all are, had come after each kind.
    for (GapSums& sums : gaps_) {
      sums.count += 1;
      sums.sum += all.mean();
      sums.squares += all.variance() + all.mean() * all.mean();
    }
  }

  cmanp::events::EventMetrics evaluate(const std::vector<Sequence>& sequences, const Window& window) const {
    cmanp::events::MetricsSum sum;
    for (const Sequence& sequence : sequences) {
      sum.begin_sequence(&sequence);
      for (const EventTime& time : event_times(sequence, window)) {
        if (!time.has_gap) continue;
        const LogNormalMixture gap = gap_after(row_before(sequence, time.earlier));
        ScoredEvent scored;
        scored.gap = length(time);
        scored.log_density = gap.log_density(scored.gap);
        scored.cdf = gap.cdf(scored.gap);
        scored.mean = gap.mean_up_to(scale_.longest_gap);
        if (marks_ > 0) score_mark(sequence, time.earlier, scored);
        sum.add(scored);
      }
      if (window.to && !sequence.times.empty() && *window.to > sequence.times.back()) {
        const LogNormalMixture gap = gap_after(row_before(sequence, sequence.times.size()));
        sum.add_survival(gap.log_survival(*window.to - sequence.times.back()));
      }
    }
    return sum.finish();
  }

 private:
  // Of a plain process one for all; else one for each kind, and one for where a sequence begins.
  std::size_t rows() const { return kind_ == Renewal::markov ? marks_ + 1 : 1; }

  std::size_t row_before(const Sequence& sequence, std::size_t event) const {
    if (kind_ == Renewal::plain) return 0;
    return event > 0 && marks_ > 0 ? sequence.marks[event - 1] : marks_;
  }

  double length(const EventTime& time) const { return time.gap > 0 ? time.gap : scale_.tie_gap; }

  void count_follower(const Sequence& sequence, std::size_t event, std::size_t row) {
    const std::uint32_t mark = sequence.marks[event];
    if (kind_ == Renewal::markov) {
      ++followers_[row].marks[mark];
    } else if (event == 0) {
      return;  // repeats nothing
    } else if (mark == sequence.marks[event - 1]) {
      ++repeats_;
    }
    ++followers_[row].count;
  }

  LogNormalMixture gap_after(std::size_t row) const {
    // Where all gaps are the same, a density would have no bounds.
    const double least = std::exp(-5) * scale_.log_std;
    return {{1.0}, {gaps_[row].mean()}, {std::max(std::sqrt(gaps_[row].variance()), least)}};
  }

  void score_mark(const Sequence& sequence, std::size_t event, ScoredEvent& scored) const {
    const std::uint32_t mark = sequence.marks[event];
    if (kind_ == Renewal::markov) {
      score_follower(followers_[row_before(sequence, event)], mark, scored);
    } else if (event > 0) {
      score_repeat(sequence.marks[event - 1], mark, scored);
    } else {
      score_follower({}, mark, scored);
    }
  }

  // By what came after such an event, and one more of any kind.
  void score_follower(const Followers& followers, std::uint32_t mark, ScoredEvent& scored) const {
    const auto weight = [&](std::uint32_t one) {
      const auto found = followers.marks.find(one);
      return shares_.of(one) + (found == followers.marks.end() ? 0.0 : found->second);
    };
    const double own = weight(mark);
    scored.log_mark = std::log(own / (followers.count + 1));
    scored.mark_rank = shares_.above(own);
    for (const auto& [one, count] : followers.marks) {
      if (shares_.of(one) <= own && weight(one) > own) ++scored.mark_rank;
    }
  }

  // The last one as often as it was so in training, and else any other.
  void score_repeat(std::uint32_t last, std::uint32_t mark, ScoredEvent& scored) const {
    if (marks_ == 1) return;
    const double repeat = (repeats_ + 1) / (followers_[0].count + 2);
    const double others = (1 - repeat) / (1 - shares_.of(last));  // of each other's share
    const double own = mark == last ? repeat : others * shares_.of(mark);
    const double as_share = mark == last ? repeat / others : shares_.of(mark);
    scored.log_mark = std::log(own);
    scored.mark_rank = shares_.above(as_share) - (shares_.of(last) > as_share ? 1 : 0) + (repeat > own ? 1 : 0);
  }

  Renewal kind_;
  std::size_t marks_;
  TimeScale scale_;
  Shares shares_;
  std::vector<GapSums> gaps_;
  std::vector<Followers> followers_;
  double repeats_ = 0;
};

}  // namespace

cmanp::events::EventMetrics evaluate_renewal(Renewal kind, const std::vector<Sequence>& training, std::size_t marks,
                                             const std::vector<Sequence>& sequences, const Window& window) {
  return RenewalProcess(kind, training, marks, window).evaluate(sequences, window);
}

}  // namespace cmanp::training::events
