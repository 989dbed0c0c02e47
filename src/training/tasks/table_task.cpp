#include "training/tasks/table_task.hpp"

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

namespace cmanp::training {
namespace {

// Training asks for one context point again for every ten targets: a model that has not seen its context well cannot
// go on from it.
constexpr std::size_t kTargetsPerContextPoint = 10;

void thin(std::vector<std::size_t>& points, std::size_t count, Random& random) {
  for (std::size_t kept = 0, i = 0, all = points.size(); i < all; ++i) {
    if (random.below(all - i) < count - kept) points[kept++] = points[i];
  }
  points.resize(count);
}

void keep_last(std::vector<std::size_t>& points, std::size_t count) {
  points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(count));
}

}  // namespace

void TableUnits::write(const data::Series& series, std::size_t point, double origin, float*& row) const {
  const double x = series.x[point];
  *row++ = static_cast<float>((x - origin) / x_scale);
  for (const double season : seasons) {
    const double phase = 2 * std::numbers::pi * (x / season - std::floor(x / season));
    *row++ = static_cast<float>(std::sin(phase));
    *row++ = static_cast<float>(std::cos(phase));
  }
  row = std::copy_n(series.known.data() + point * known, known, row);
}

Batch batch_of(std::span<const data::Window> windows, const TableUnits& units) {
  const auto tasks = static_cast<std::int64_t>(windows.size()), dim = units.dim_x();
  const auto context = static_cast<std::int64_t>(windows[0].context.size());
  const auto targets = static_cast<std::int64_t>(windows[0].targets.size());
  Batch batch{torch::empty({tasks, context, dim}), torch::empty({tasks, context, 1}),
              torch::empty({tasks, targets, dim}), torch::empty({tasks, targets, 1})};
  float *xc = batch.xc.data_ptr<float>(), *yc = batch.yc.data_ptr<float>();
  float *xt = batch.xt.data_ptr<float>(), *yt = batch.yt.data_ptr<float>();
  for (const data::Window& window : windows) {
    const base::Scale scale = units.y_scale(window);
    const auto write = [&](const std::vector<std::size_t>& points, float*& x, float*& y) {
      for (const std::size_t i : points) {
        units.write(*window.series, i, window.origin, x);
        *y++ = static_cast<float>(scale(window.series->values[i]));
      }
    };
    write(window.context, xc, yc);
    write(window.targets, xt, yt);
  }
  return batch;
}

std::vector<std::vector<data::Window>> in_batches(std::vector<data::Window> windows, std::size_t batch) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<data::Window>> by_size;
  std::vector<std::vector<data::Window>> batches;
  for (data::Window& window : windows) {
    auto& same = by_size[{window.context.size(), window.targets.size()}];
    same.push_back(std::move(window));
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
  std::vector<data::Window> all = windows_->all(part);
  if (all.empty()) throw Error("no window of the part to evaluate on: " + settings_.part);
  evaluation_ = in_batches(std::move(all), 16);
}

Range TableTask::range() const {
  const data::WindowPlan& plan = windows_->plan();
  return {-plan.window_length() / settings_.units.x_scale, plan.horizon_length() / settings_.units.x_scale};
}

Batch TableTask::next(Random& random) const {
  windows_->set().check_unchanged();
  const data::Windows::Shape shape = windows_->draw_shape(random);
  std::vector<data::Window> drawn;
  std::size_t context = std::numeric_limits<std::size_t>::max(), targets = context;
  for (std::int64_t i = 0; i < settings_.batch; ++i) {
    drawn.push_back(windows_->draw(shape, random));
    context = std::min(context, drawn.back().context.size());
    targets = std::min(targets, drawn.back().targets.size());
  }
  if (settings_.max_targets > 0) targets = std::min(targets, static_cast<std::size_t>(settings_.max_targets));
  const std::size_t again = std::min(context, (targets + kTargetsPerContextPoint - 1) / kTargetsPerContextPoint);
  for (data::Window& window : drawn) {
    // A batch has as many points of every task: of a forecast the latest, which say most about what follows.
    if (shape.split == data::Split::forecast) {
      keep_last(window.context, context);
    } else {
      thin(window.context, context, random);
    }
    thin(window.targets, targets, random);
    std::vector<std::size_t> seen = window.context;
    thin(seen, again, random);
    window.targets.insert(window.targets.end(), seen.begin(), seen.end());
  }
  return batch_of(drawn, settings_.units);
}

EvaluationBatch TableTask::evaluation_batch(std::size_t index, Random&) const {
  return {batch_of(evaluation_.at(index), settings_.units), std::nullopt};
}

}  // namespace cmanp::training
