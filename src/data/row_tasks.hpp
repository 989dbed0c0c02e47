// Tasks out of rows of several x: some rows of a group are given, others asked for. Parts are groups, or rows: then the
// test asks for rows that no task of the training has, given rows of the training part.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "data/parts.hpp"
#include "data/windows.hpp"

namespace cmanp::data {

class RowTasks {
 public:
  // Keeps a reference to `set`. Throws Error where nothing is left to train on.
  RowTasks(const SeriesSet& set, const WindowPlan& plan, const GroupParts& groups);

  std::size_t left_out() const { return left_out_; }  // series of groups of too few rows
  std::size_t trained_on() const { return trainable_.size(); }

  // Of the training part: `share` of the rows are given; of columns whose `known` is above a half, all are.
  std::vector<Window> draw(double share, const std::vector<double>& known, base::Random& random) const;
  std::vector<Window> all(Part part, std::uint64_t seed) const;

 private:
  struct Group {
    std::span<const Series> columns;
    std::size_t rows;                  // numbers of rows lie below
    std::vector<std::size_t> trained;  // where parts are rows: those to train on

    std::size_t training_rows() const { return trained.empty() ? rows : trained.size(); }
    std::size_t training_row(std::size_t i) const { return trained.empty() ? i : trained[i]; }
  };

  Group group_of(std::span<const Series> columns) const;
  Part part_of(const Group& group) const { return by_rows() ? Part::train : groups_.of(group.columns.front().group); }
  bool by_rows() const { return plan_.parts == "rows"; }
  std::vector<std::size_t> some_training_rows(const Group& group, std::size_t count, base::Random& random) const;
  void add_pieces(const Group& group, base::Random& random, std::vector<Window>& found) const;
  void add_asked_rows(const Group& group, Part part, base::Random& random, std::vector<Window>& found) const;

  const SeriesSet& set_;
  WindowPlan plan_;
  GroupParts groups_;
  std::vector<Group> trainable_;
  std::size_t left_out_ = 0;
};

}  // namespace cmanp::data
