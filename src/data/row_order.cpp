#include "data/row_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace cmanp::data {
namespace {

// What is missing comes last.
bool comes_before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

std::span<double> numbers_of(const files::GrowingFile& file, std::size_t count) {
  return {reinterpret_cast<double*>(file.data()), count};
}

}  // namespace

RowOrder::RowOrder(const DataTable& table, const Roles& roles, std::filesystem::path folder)
    : folder_(std::move(folder)), rows_(table.rows()) {
  if (!roles.group.empty()) group_ = &table.column(roles.group).values;
  const Values* const x = roles.x.empty() ? nullptr : &table.column(roles.x).values;
  const auto is_after = [&](std::size_t row) {
    for (const Values* key : {group_, x}) {
      if (key == nullptr) continue;
      if (comes_before((*key)[row - 1], (*key)[row])) return true;
      if (comes_before((*key)[row], (*key)[row - 1])) return false;
    }
    return true;
  };
  std::size_t row = 1;
  while (row < rows_ && is_after(row)) ++row;
  in_order_ = row >= rows_;
  if (in_order_) return;
  std::unordered_map<double, std::size_t> counts;
  std::size_t without = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    const double group = group_ == nullptr ? 0 : (*group_)[i];
    ++(std::isnan(group) ? without : counts[group]);
  }
  std::vector<std::pair<double, std::size_t>> groups(counts.begin(), counts.end());
  std::sort(groups.begin(), groups.end());
  begins_.push_back(0);
  for (const auto& [group, count] : groups) {
    places_[group] = begins_.size() - 1;
    begins_.push_back(begins_.back() + count);
  }
  if (without > 0) begins_.push_back(begins_.back() + without);
  if (x != nullptr) look_at_groups(*x);
}

std::size_t RowOrder::place_of(double group) const { return std::isnan(group) ? places_.size() : places_.at(group); }

std::shared_ptr<files::GrowingFile> RowOrder::by_group(const Values& column) const {
  auto file = std::make_shared<files::GrowingFile>(folder_);
  file->grow(rows_ * sizeof(double));
  const std::span<double> numbers = numbers_of(*file, rows_);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t row = 0; row < rows_; ++row) {
    numbers[next[place_of(group_ == nullptr ? 0 : (*group_)[row])]++] = column[row];
  }
  return file;
}

void RowOrder::look_at_groups(const Values& x) {
  const auto file = by_group(x);
  orders_ = Numbers<std::uint64_t>(std::make_shared<files::GrowingFile>(folder_));
  for (std::size_t place = 0; place + 1 < begins_.size(); ++place) {
    const std::size_t begin = begins_[place];
    const std::span<const double> own = numbers_of(*file, rows_).subspan(begin, begins_[place + 1] - begin);
    if (std::is_sorted(own.begin(), own.end(), comes_before)) continue;
    std::vector<std::size_t> order(own.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [own](std::size_t a, std::size_t b) { return comes_before(own[a], own[b]); });
    turned_.push_back({begin, own.size(), orders_.size()});
    for (const std::size_t row : order) orders_.push_back(row);
  }
}

Values RowOrder::sorted(const Values& column) const {
  if (in_order_) return column;
  const auto file = by_group(column);
  std::vector<double> in_order;
  for (const Turned& group : turned_) {
    const std::span<double> own = numbers_of(*file, rows_).subspan(group.begin, group.count);
    const std::uint64_t* const order = orders_.data() + group.order;
    in_order.resize(own.size());
    std::transform(order, order + group.count, in_order.begin(), [own](std::uint64_t i) { return own[i]; });
    std::copy(in_order.begin(), in_order.end(), own.begin());
  }
  return {numbers_of(*file, rows_), file};
}

}  // namespace cmanp::data
