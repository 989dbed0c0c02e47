#include "training/tasks/table_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "training/tasks/blend_windows.hpp"

namespace cmanp::training {
namespace {

// Training asks for one context point again for every ten targets: a model that has not seen its context well cannot
// go on from it.
constexpr std::size_t kTargetsPerContextPoint = 10;

template <class Point>
void thin(std::vector<Point>& points, std::size_t count, Random& random) {
  for (std::size_t kept = 0, i = 0, all = points.size(); i < all; ++i) {
    if (random.below(all - i) < count - kept) points[kept++] = points[i];
  }
  points.resize(count);
}

template <class Point>
void keep_last(std::vector<Point>& points, std::size_t count) {
  points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(count));
}

using WindowPoints = std::vector<std::size_t> data::Window::*;

// A point of a task by its window and its place there.
struct TaskPoint {
  std::size_t window, point;
};

// Those of all windows by x.
std::vector<TaskPoint> gather(const WindowTask& task, WindowPoints which) {
  std::vector<TaskPoint> all;
  for (std::size_t w = 0; w < task.windows.size(); ++w) {
    for (const std::size_t point : task.windows[w].*which) all.push_back({w, point});
  }
  const auto x = [&](const TaskPoint& one) { return task.windows[one.window].series->x[one.point]; };
  if (task.windows.size() > 1) {
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return x(a) < x(b); });
  }
  return all;
}

void put_back(WindowTask& task, const std::vector<TaskPoint>& points, WindowPoints which) {
  for (data::Window& window : task.windows) (window.*which).clear();
  for (const TaskPoint& one : points) (task.windows[one.window].*which).push_back(one.point);
}

std::size_t count_of(const WindowTask& task, WindowPoints which) {
  std::size_t count = 0;
  for (const data::Window& window : task.windows) count += (window.*which).size();
  return count;
}

// What the table has, what a window needs, and what to do.
[[noreturn]] void fail_without_windows(const data::Windows& windows, const std::string& part) {
  const data::WindowPlan& plan = windows.plan();
  const std::vector<data::Series>& series = windows.set().series;
  std::size_t rows = 0, longest = 0;
  for (const data::Series& one : series) {
    rows += one.x.size();
    longest = std::max(longest, one.x.size());
  }
  const std::string there = fmt::format(
      "nothing to evaluate on in the part {}: there are {} series of {} rows in all, "
      "of {} the longest",
      part, series.size(), rows, longest);
  if (plan.rows) {
    throw Error(
        fmt::format("{}; a task needs {} rows of its own part, {:g} % of all: it takes more rows, or a larger "
                    "--test-share",
                    there, data::kLeastContext + 1, 100 * plan.test_share));
  }
  throw Error(
      fmt::format("{}; a window needs {} rows to go by, and one to ask for within the {} steps behind "
                  "them: it takes longer series{}, a smaller --horizon, {} now, or a smaller --window, {} now",
                  there, data::kLeastContext, plan.horizon, plan.parts == "time" ? "" : ", --parts time", plan.horizon,
                  plan.window));
}

}  // namespace

void TableUnits::write(const data::Series& series, std::size_t point, double origin, float*& row) const {
  if (!rows) {
    const double x = series.x[point];
    *row++ = static_cast<float>((x - origin) / x_scale);
    for (const double season : seasons) {
      const double phase = 2 * std::numbers::pi * (x / season - std::floor(x / season));
      *row++ = static_cast<float>(std::sin(phase));
      *row++ = static_cast<float>(std::cos(phase));
    }
  }
  row = std::copy_n(series.known.data() + point * known, known, row);
  for (std::size_t column = 0; column < columns; ++column) *row++ = column == series.column ? 1.0f : 0.0f;
}

WindowTask::WindowTask(std::vector<data::Window> own, const TableUnits& units) : windows(std::move(own)) {
  for (const data::Window& window : windows) scales.push_back(units.y_scale(window));
}

WindowTask::WindowTask(const data::Window& window, const TableUnits& units)
    : WindowTask(window.task ? *window.task : std::vector{window}, units) {}

std::size_t WindowTask::context_points() const { return count_of(*this, &data::Window::context); }
std::size_t WindowTask::targets() const { return count_of(*this, &data::Window::targets); }

Batch batch_of(std::span<const WindowTask> tasks, const TableUnits& units) {
  const auto count = static_cast<std::int64_t>(tasks.size()), dim = units.dim_x();
  const auto context = static_cast<std::int64_t>(tasks[0].context_points());
  const auto targets = static_cast<std::int64_t>(tasks[0].targets());
  Batch batch{torch::empty({count, context, dim}), torch::empty({count, context, 1}),
              torch::empty({count, targets, dim}), torch::empty({count, targets, 1})};
  float *xc = batch.xc.data_ptr<float>(), *yc = batch.yc.data_ptr<float>();
  float *xt = batch.xt.data_ptr<float>(), *yt = batch.yt.data_ptr<float>();
  for (const WindowTask& task : tasks) {
    for (std::size_t w = 0; w < task.windows.size(); ++w) {
      const data::Window& window = task.windows[w];
      const auto write = [&](const std::vector<std::size_t>& points, float*& x, float*& y) {
        for (const std::size_t i : points) {
          units.write(*window.series, i, window.origin, x);
          *y++ = static_cast<float>(task.scales[w](window.series->values[i]));
        }
      };
      write(window.context, xc, yc);
      write(window.targets, xt, yt);
    }
  }
  return batch;
}

std::vector<WindowTask> tasks_of(const std::vector<data::Window>& windows, const TableUnits& units) {
  std::vector<WindowTask> tasks;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const bool seen = i > 0 && windows[i].task && windows[i].task == windows[i - 1].task;
    if (!seen) tasks.emplace_back(windows[i], units);
  }
  return tasks;
}

std::vector<std::vector<WindowTask>> in_batches(std::vector<WindowTask> tasks, std::size_t batch) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<WindowTask>> by_size;
  std::vector<std::vector<WindowTask>> batches;
  for (WindowTask& task : tasks) {
    auto& same = by_size[{task.context_points(), task.targets()}];
    same.push_back(std::move(task));
    if (same.size() == batch) batches.push_back(std::exchange(same, {}));
  }
  for (auto& [size, rest] : by_size) {
    if (!rest.empty()) batches.push_back(std::move(rest));
  }
  return batches;
}

TableTask::TableTask(std::shared_ptr<const data::Windows> windows, const TableSettings& settings)
    : windows_(std::move(windows)), settings_(settings) {
  data::Part part = settings_.part == "test" ? data::Part::test : data::Part::validation;
  const std::vector<data::Window> all = windows_->all(part);
  if (all.empty()) fail_without_windows(*windows_, settings_.part);
  evaluation_ = in_batches(tasks_of(all, settings_.units), 16);
}

Range TableTask::range() const {
  const data::WindowPlan& plan = windows_->plan();
  if (plan.rows) return kRowRange;
  return {-plan.window_length() / settings_.units.x_scale, plan.horizon_length() / settings_.units.x_scale};
}

torch::Tensor TableTask::places() const {
  if (!windows_->plan().rows) return {};
  Random random(0, Stream::weights, 0);
  const torch::Tensor all = next(random).xt.reshape({-1, dim_x()});
  return all.index_select(0, (torch::arange(all.size(0)) * 7919).remainder(all.size(0)));  // columns and tasks mixed
}

Batch TableTask::next(Random& random) const {
  windows_->set().check_unchanged();
  const data::Windows::Shape shape = windows_->draw_shape(random);
  std::vector<WindowTask> drawn;
  std::size_t context = std::numeric_limits<std::size_t>::max(), targets = context;
  for (std::int64_t i = 0; i < settings_.batch; ++i) {
    drawn.emplace_back(windows_->draw(shape, random), settings_.units);
    context = std::min(context, drawn.back().context_points());
    targets = std::min(targets, drawn.back().targets());
  }
  if (settings_.max_targets > 0) targets = std::min(targets, static_cast<std::size_t>(settings_.max_targets));
  const std::size_t again = std::min(context, (targets + kTargetsPerContextPoint - 1) / kTargetsPerContextPoint);
  std::vector<std::size_t> seen(context);  // the same of every task, so that tasks can be blended
  std::iota(seen.begin(), seen.end(), std::size_t{0});
  thin(seen, again, random);
  for (WindowTask& task : drawn) {
    // A batch has as many points of every task: of a forecast the latest, which say most about what follows.
    std::vector<TaskPoint> given = gather(task, &data::Window::context), asked = gather(task, &data::Window::targets);
    if (shape.split == data::Split::forecast) {
      keep_last(given, context);
    } else {
      thin(given, context, random);
    }
    thin(asked, targets, random);
    for (const std::size_t i : seen) asked.push_back(given[i]);
    put_back(task, given, &data::Window::context);
    put_back(task, asked, &data::Window::targets);
    // One that is alone has the units of what is left of it; of several, one might have nothing left.
    if (task.windows.size() == 1) task = WindowTask(std::move(task.windows), settings_.units);
  }
  Batch batch = batch_of(drawn, settings_.units);
  const bool alone = drawn.front().windows.size() == 1;  // columns together have units of their own each
  if (settings_.blend > 0 && settings_.units.known == 0 && alone) {
    blend_windows(batch, settings_.blend, settings_.units.robust, random);
  }
  return batch;
}

EvaluationBatch TableTask::evaluation_batch(std::size_t index, Random&) const {
  return {batch_of(evaluation_.at(index), settings_.units), std::nullopt};
}

}  // namespace cmanp::training
