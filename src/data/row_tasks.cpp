#include "data/row_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <numeric>
#include <set>
#include <utility>

namespace cmanp::data {
namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t kLeastRows = 3;  // of a task: two that are given, one that is asked for
constexpr int kTriedTasks = 100;

// Some of [0, all), each choice as likely as any other (Floyd), ascending.
Rows some_of(std::size_t all, std::size_t count, base::Random& random) {
  std::set<std::size_t> chosen;
  for (std::size_t i = all - count; i < all; ++i) {
    const std::size_t one = random.below(i + 1);
    chosen.insert(chosen.contains(one) ? i : one);
  }
  return {chosen.begin(), chosen.end()};
}

void shuffle(Rows& rows, base::Random& random) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
}

std::size_t given_of(std::size_t rows, double share) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(rows)), kLeastContext, rows - 1);
}

// The points of a series that rows are; those without a value are none.
Rows points_of(const Series& series, Rows rows) {
  std::sort(rows.begin(), rows.end());
  Rows points;
  for (const std::size_t row : rows) {
    const auto found = std::lower_bound(series.x.begin(), series.x.end(), static_cast<double>(row));
    if (found != series.x.end() && *found == static_cast<double>(row)) {
      points.push_back(static_cast<std::size_t>(found - series.x.begin()));
    }
  }
  return points;
}

std::vector<Window> task_of(std::span<const Series> columns, const Rows& given, const Rows& asked,
                            const std::vector<double>& known) {
  std::vector<Window> task;
  for (const Series& series : columns) {
    const bool told = !known.empty() && known[series.column] > 0.5;
    Rows context = given;
    if (told) context.insert(context.end(), asked.begin(), asked.end());
    task.push_back({&series, 0, points_of(series, context), told ? Rows() : points_of(series, asked)});
  }
  return task;
}

bool knows_something(const Window& window) { return !window.context.empty(); }

}  // namespace

RowTasks::RowTasks(const SeriesSet& set, const WindowPlan& plan, const GroupParts& groups)
    : set_(set), plan_(plan), groups_(groups) {
  for (const std::span<const Series> columns : blocks_of(set_, plan_.jointly)) {
    Group group = group_of(columns);
    if (part_of(group) != Part::train) continue;
    if (group.training_rows() < kLeastRows) {
      left_out_ += columns.size();
    } else {
      trainable_.push_back(std::move(group));
    }
  }
  if (trainable_.empty()) throw Error(fmt::format("no group has {} rows to train on", kLeastRows));
}

RowTasks::Group RowTasks::group_of(std::span<const Series> columns) const {
  Group group{columns, 0, {}};
  for (const Series& series : columns) {
    group.rows = std::max(group.rows, static_cast<std::size_t>(series.x.back()) + 1);
  }
  if (!by_rows()) return group;
  for (std::size_t row = 0; row < group.rows; ++row) {
    const Part part = part_of_row(columns.front().group, row, plan_.test_share, plan_.split_seed);
    if (part == Part::train) group.trained.push_back(row);
  }
  if (group.trained.empty()) group.rows = 0;
  return group;
}

Rows RowTasks::some_training_rows(const Group& group, std::size_t count, base::Random& random) const {
  Rows rows = some_of(group.training_rows(), count, random);
  for (std::size_t& row : rows) row = group.training_row(row);
  return rows;
}

std::vector<Window> RowTasks::draw(double share, const std::vector<double>& known, base::Random& random) const {
  for (int attempt = 0; attempt < kTriedTasks; ++attempt) {
    const Group& group = trainable_[random.below(trainable_.size())];
    const std::size_t count = std::min(group.training_rows(), static_cast<std::size_t>(plan_.window));
    Rows rows = some_training_rows(group, count, random);
    shuffle(rows, random);
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(given_of(count, share));
    std::vector<Window> task = task_of(group.columns, {rows.begin(), middle}, {middle, rows.end()}, known);
    if (keep_usable(task, knows_something)) return task;
  }
  throw Error(fmt::format("{} tasks of {} rows in a row had no values to ask for", kTriedTasks, plan_.window));
}

// A group of another part: all of its rows, so many at a time.
void RowTasks::add_pieces(const Group& group, base::Random& random, std::vector<Window>& found) const {
  Rows rows(group.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  shuffle(rows, random);
  for (auto begin = rows.begin(); rows.end() - begin >= static_cast<std::ptrdiff_t>(kLeastRows);) {
    const auto end = begin + std::min<std::ptrdiff_t>(plan_.window, rows.end() - begin);
    const std::size_t count = static_cast<std::size_t>(end - begin);
    const auto middle = begin + static_cast<std::ptrdiff_t>(given_of(count, random.uniform()));
    std::vector<Window> task = task_of(group.columns, {begin, middle}, {middle, end}, {});
    if (keep_usable(task, has_units)) add_task(std::move(task), found);
    begin = end;
  }
}

// The rows of a part, a quarter of a task at a time, by rows of the training.
void RowTasks::add_asked_rows(const Group& group, Part part, base::Random& random, std::vector<Window>& found) const {
  Rows rows;
  for (std::size_t row = 0; row < group.rows; ++row) {
    if (part_of_row(group.columns.front().group, row, plan_.test_share, plan_.split_seed) == part) rows.push_back(row);
  }
  shuffle(rows, random);
  const std::ptrdiff_t piece = std::max<std::ptrdiff_t>(1, plan_.window / 4);
  const std::size_t given =
      std::clamp<std::size_t>(static_cast<std::size_t>(plan_.window - piece), kLeastContext, group.training_rows());
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = begin + std::min(piece, rows.end() - begin);
    std::vector<Window> task = task_of(group.columns, some_training_rows(group, given, random), {begin, end}, {});
    if (keep_usable(task, has_units)) add_task(std::move(task), found);
    begin = end;
  }
}

std::vector<Window> RowTasks::all(Part part, std::uint64_t seed) const {
  std::vector<Window> found;
  for (const std::span<const Series> columns : blocks_of(set_, plan_.jointly)) {
    const Group group = group_of(columns);
    base::Random random(hash_of(columns.front().group + "\n" + columns.front().y, seed), plan_.split_seed);
    if (!by_rows()) {
      if (part_of(group) == part) add_pieces(group, random, found);
    } else if (group.training_rows() >= kLeastContext) {
      add_asked_rows(group, part, random, found);
    }
  }
  return found;
}

}  // namespace cmanp::data
