// Windows of a table's series as tasks: some values are given, others asked for, each window in units of its own. A
// task of several columns has a point for every value that is there: where, of which column, and how much. A value that
// is missing is a point that is not there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/windows.hpp"
#include "training/tasks/task.hpp"

namespace cmanp::training {

// From the table's units to those of batches: x about a window's origin, y by what its context says.
struct TableUnits {
  double x_scale = 1;
  bool robust = false;
  std::vector<double> seasons = {};     // of x, in the table's units: the phases of each are two further inputs
  std::size_t known = 0;                // inputs of what is known besides
  std::size_t columns = 0;              // of tasks of several: as many inputs, the last, say which a value is of
  bool rows = false;                    // several x, which are known besides: a series' own x are numbers of rows
  std::vector<base::Scale> fixed = {};  // of y, by column, whatever a context says; none: by what it says

  std::int64_t dim_x() const {
    return static_cast<std::int64_t>((rows ? 0 : 1 + 2 * seasons.size()) + known + columns);
  }
  base::Scale y_scale(const data::Window& window) const {
    return fixed.empty() ? data::context_units(window.context_values(), robust) : fixed.at(window.series->column);
  }
  // Writes the inputs of a series' point to `row`, and goes on behind them.
  void write(const data::Series& series, std::size_t point, double origin, float*& row) const;
};

// Of x that are inputs in units of their columns, nearly all.
inline constexpr Range kRowRange{-3, 3};

struct TableSettings {
  std::string name = "table";  // of the data, for files
  std::int64_t batch = 16;
  std::int64_t max_targets = 0;     // of a task; 0: any number
  std::string part = "validation";  // to evaluate on; or test
  TableUnits units = {};
  double blend = 0;  // the share of training windows that another is added to
};

// One task: a window, or those of several columns, and the units of each.
struct WindowTask {
  std::vector<data::Window> windows;
  std::vector<base::Scale> scales;

  WindowTask(std::vector<data::Window> own, const TableUnits& units);
  // The task that a window is, or is one of.
  WindowTask(const data::Window& window, const TableUnits& units);

  std::size_t context_points() const;
  std::size_t targets() const;
};

// Tasks of as many points: what one batch can hold.
Batch batch_of(std::span<const WindowTask> tasks, const TableUnits& units);

class TableTask : public Task {
 public:
  TableTask(std::shared_ptr<const data::Windows> windows, const TableSettings& settings);

  std::string name() const override { return settings_.name; }
  std::int64_t dim_x() const override { return settings_.units.dim_x(); }
  std::int64_t dim_y() const override { return 1; }
  Range range() const override;

  // Of several x: those of some tasks, as categories leave most of a box empty.
  torch::Tensor places() const override;

  Batch next(Random& random) const override;
  EvaluationBatch evaluation_batch(std::size_t index, Random& random) const override;
  std::size_t evaluation_batches() const override { return evaluation_.size(); }

  const data::Windows& windows() const { return *windows_; }

 private:
  std::shared_ptr<const data::Windows> windows_;
  TableSettings settings_;
  std::vector<std::vector<WindowTask>> evaluation_;  // in batches of equal sizes
};

// The tasks of windows that stand in order.
std::vector<WindowTask> tasks_of(const std::vector<data::Window>& windows, const TableUnits& units);

// In groups of at most `batch` that have as many context points and as many targets, in a fixed order.
std::vector<std::vector<WindowTask>> in_batches(std::vector<WindowTask> tasks, std::size_t batch);

}  // namespace cmanp::training
