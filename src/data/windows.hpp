// Tasks out of series: a window of one, of which some values are given (the context) and others asked for (the
// targets); or windows of all columns of a group over the same stretch, which tell about each other. Which values may
// be asked for in training, in validation and in the test is settled here, once: a value that the test asks for is in
// no window that is trained on, neither as a target nor as context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/frame.hpp"
#include "base/random.hpp"
#include "data/parts.hpp"
#include "data/series.hpp"

namespace cmanp::data {

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
  std::string parts = "time";                             // what sets the parts apart: time, group or both; or rows
  std::int64_t test_windows = 1, validation_windows = 1;  // of each series, at its end
  double test_share = 0.1;                                // of the groups; validation has as many
  std::uint64_t split_seed = 0;
  bool jointly = false;  // all columns of a group are one task
  bool rows = false;     // several x: no order but that of the rows, of which a task has `window` at most

  double window_length() const { return step * static_cast<double>(window); }
  double horizon_length() const { return step * static_cast<double>(horizon); }
};

struct Window {
  const Series* series = nullptr;
  double origin = 0;                          // of x: a forecast's last known place; else the window's end
  std::vector<std::size_t> context, targets;  // points of the series, ascending
  // Of a task of several columns: the windows of all of them, this one among them. None: it is alone.
  std::shared_ptr<const std::vector<Window>> task = {};

  std::vector<double> context_values() const;
};

// Where x may lie: low < x <= high.
struct Stretch {
  double low, high;

  bool empty() const { return !(low < high); }
};

class RowTasks;

class Windows {
 public:
  // Keeps `set`'s series alive. Throws Error where a part that is to have windows has none.
  Windows(SeriesSet set, const WindowPlan& plan);
  Windows(const Windows&) = delete;  // windows point into it
  Windows& operator=(const Windows&) = delete;
  ~Windows();

  const WindowPlan& plan() const { return plan_; }
  const SeriesSet& set() const { return set_; }
  std::size_t left_out() const { return left_out_; }  // series that are too short to have any window
  std::size_t trained_on() const;

  // What windows of a batch have in common, drawn once for all.
  struct Shape {
    Split split;
    double share;  // random: of points that are context; gaps: of the longest gap
    // Of tasks of several columns.
    double place = -1;               // gaps: where all have theirs, as a share of the window; below 0: each its own
    std::vector<double> known = {};  // forecast: the share of the horizon that is known of each column; empty: nothing
  };
  Shape draw_shape(base::Random& random) const;
  // The windows of a task of the training part: any series, any place. Jointly some may have no targets.
  std::vector<Window> draw(const Shape& shape, base::Random& random) const;

  // All of another part that have targets, in order: the same for the same seed.
  std::vector<Window> all(Part part, std::uint64_t seed = 0) const;

  // Where targets of a part may lie.
  Stretch stretch(const Series& series, Part part) const;

 private:
  using Block = std::span<const Series>;  // what makes a task: a series, or all columns of a group

  Window forecast_at(const Series& series, double origin, double end, double known) const;
  Window cut_out(const Series& series, double end, const Shape& shape, base::Random& random) const;
  double draw_place(const Series& series, const Stretch& within, const Shape& shape, base::Random& random) const;
  std::vector<Window> task_at(Block block, double place, const Stretch& within, const Shape& shape,
                              base::Random& random) const;
  void add_forecasts(Block block, const Stretch& own, const Shape& shape, base::Random& random,
                     std::vector<Window>& found) const;
  void add_cut_outs(Block block, const Stretch& own, const Shape& shape, base::Random& random,
                    std::vector<Window>& found) const;
  double part_unit() const;  // the length of a part's window
  double tolerance() const { return 1e-6 * plan_.step; }

  SeriesSet set_;
  WindowPlan plan_;
  GroupParts groups_;
  std::unique_ptr<const RowTasks> rows_;  // where x are several
  std::vector<double> ends_;              // jointly: by series, the last place of its group
  std::vector<Block> trainable_;
  std::size_t columns_ = 0;
  std::size_t left_out_ = 0;
};

// By pieces that make tasks: a series each, or all columns of a group.
std::vector<std::span<const Series>> blocks_of(const SeriesSet& set, bool jointly);

constexpr std::size_t kLeastContext = 2;  // of a window that says in which units it is
bool has_units(const Window& window);

// Without targets that `asks` refuses to ask for, and without windows that then say nothing. Whether any are left to
// ask for.
bool keep_usable(std::vector<Window>& task, bool (*asks)(const Window&));

// Adds those windows of a task that have targets, each with all of them; of one that is alone just itself.
void add_task(std::vector<Window> task, std::vector<Window>& windows);

// The units of a window, by its context alone: mean and deviation, or their robust kin (base/frame.hpp). A context that
// never changes has a quarter of its size, or 1.
base::Scale context_units(const std::vector<double>& context, bool robust);

}  // namespace cmanp::data
