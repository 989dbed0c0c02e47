// A column of numbers: of its own, or a part of a mapped file that it keeps open. What is added to the latter makes it
// its own first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace cmanp::data {

class Values {
 public:
  using value_type = double;
  using const_iterator = const double*;

  Values() = default;
  Values(std::vector<double> own) : own_(std::move(own)) {}
  Values(std::initializer_list<double> own) : own_(own) {}
  Values(std::span<const double> mapped, std::shared_ptr<const void> keeper)
      : mapped_(mapped), keeper_(std::move(keeper)) {}

  std::size_t size() const { return keeper_ ? mapped_.size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const double* data() const { return keeper_ ? mapped_.data() : own_.data(); }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size(); }
  double operator[](std::size_t index) const { return data()[index]; }
  double front() const { return *data(); }
  double back() const { return data()[size() - 1]; }
  bool mapped() const { return keeper_ != nullptr; }

  void reserve(std::size_t count) {
    if (!keeper_) own_.reserve(count);
  }
  void push_back(double value) {
    if (keeper_) *this = Values(std::vector<double>(begin(), end()));
    own_.push_back(value);
  }

  // So many from `first` on; of a mapped file without a copy.
  Values part(std::size_t first, std::size_t count) const {
    if (keeper_) return {mapped_.subspan(first, count), keeper_};
    return std::vector<double>(begin() + first, begin() + first + count);
  }

  bool operator==(const Values& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  std::vector<double> own_;
  std::span<const double> mapped_;
  std::shared_ptr<const void> keeper_;
};

}  // namespace cmanp::data
