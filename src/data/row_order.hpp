// The rows of a table by group and x, those without either last, and of the same the first first: in files aside, as
// the table may be larger than memory. Groups are told apart in one walk over the rows; within one, memory is needed
// only where its rows are not in order.
#pragma once

#include <filesystem>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/data_table.hpp"
#include "data/roles.hpp"

namespace cmanp::data {

class RowOrder {
 public:
  // Of a table that outlives it. `folder`: where files may be made.
  RowOrder(const DataTable& table, const Roles& roles, std::filesystem::path folder);

  // A column of the table in this order; as it is where the table is in it.
  Values sorted(const Values& column) const;

 private:
  // A group whose rows are not in order of x as they stand.
  struct Turned {
    std::size_t begin, count;
    std::size_t order;  // where in orders_ its rows are, counted from its first
  };

  std::size_t place_of(double group) const;
  // As it is, but for the groups, which stand together.
  std::shared_ptr<files::GrowingFile> by_group(const Values& column) const;
  void look_at_groups(const Values& x);

  std::filesystem::path folder_;
  std::size_t rows_;
  const Values* group_ = nullptr;
  bool in_order_ = false;
  std::unordered_map<double, std::size_t> places_;  // of a group; those without one come last
  std::vector<std::size_t> begins_;                 // of groups by place, and the end of the last
  std::vector<Turned> turned_;
  Numbers<std::uint64_t> orders_;
};

}  // namespace cmanp::data
