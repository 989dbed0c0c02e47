// Tasks out of series: a window of one, of which some values are given (the context) and others asked for (the
// targets). Which values may be asked for in training, in validation and in the test is settled here, once: a value
// that the test asks for is in no window that is trained on, neither as a target nor as context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/frame.hpp"
#include "base/random.hpp"
#include "data/series.hpp"

namespace cmanp::data {

enum class Part { train, validation, test };

enum class Split {
  random,   // any points of a window: interpolation
  gaps,     // a stretch of a window that is missing
  forecast  // what follows
};

// How long windows are and where they may lie. Lengths are in steps of the series.
struct WindowPlan {
  double step = 1;
  std::int64_t window = 100;  // of context
  std::int64_t horizon = 10;  // of a forecast; the longest gap
  std::vector<Split> splits = {Split::forecast};
  std::string parts = "time";                             // what sets the parts apart: time, group or both
  std::int64_t test_windows = 1, validation_windows = 1;  // of each series, at its end
  double test_share = 0.1;                                // of the groups; validation has as many
  std::uint64_t split_seed = 0;

  double window_length() const { return step * static_cast<double>(window); }
  double horizon_length() const { return step * static_cast<double>(horizon); }
};

struct Window {
  const Series* series = nullptr;
  double origin = 0;                          // of x: a forecast's last known place; else the window's end
  std::vector<std::size_t> context, targets;  // points of the series, ascending

  std::vector<double> context_values() const;
};

// Where x may lie: low < x <= high.
struct Stretch {
  double low, high;

  bool empty() const { return !(low < high); }
};

class Windows {
 public:
  // Keeps `set`'s series alive. Throws Error where a part that is to have windows has none.
  Windows(SeriesSet set, const WindowPlan& plan);
  Windows(const Windows&) = delete;  // windows point into it
  Windows& operator=(const Windows&) = delete;

  const WindowPlan& plan() const { return plan_; }
  const SeriesSet& set() const { return set_; }
  std::size_t left_out() const { return left_out_; }  // series that are too short to have any window
  std::size_t trained_on() const { return trainable_.size(); }

  // What windows of a batch have in common, drawn once for all.
  struct Shape {
    Split split;
    double share;  // random: of points that are context; gaps: of the longest gap
  };
  Shape draw_shape(base::Random& random) const;
  // Of the training part: any series, any place.
  Window draw(const Shape& shape, base::Random& random) const;

  // All of another part, in order: the same for the same seed.
  std::vector<Window> all(Part part, std::uint64_t seed = 0) const;

  // The end of a series as context; its targets are yet to come.
  Window next_of(const Series& series) const;

  // Where targets of a part may lie.
  Stretch stretch(const Series& series, Part part) const;
  Part part_of_group(const std::string& group) const;

 private:
  Window forecast_from(const Series& series, std::size_t last, double end) const;
  Window cut_out(const Series& series, double end, const Shape& shape, base::Random& random) const;
  bool try_draw(const Series& series, const Stretch& within, const Shape& shape, base::Random& random,
                Window& window) const;
  double part_unit() const;  // the length of a part's window
  double tolerance() const { return 1e-6 * plan_.step; }

  SeriesSet set_;
  WindowPlan plan_;
  std::vector<std::string> test_groups_, validation_groups_;  // sorted
  std::vector<const Series*> trainable_;
  std::size_t left_out_ = 0;
};

// The units of a window, by its context alone: mean and deviation, or their robust kin (base/frame.hpp). A context that
// never changes has a quarter of its size, or 1.
base::Scale context_units(const std::vector<double>& context, bool robust);

}  // namespace cmanp::data
