// A column of numbers: of its own, in memory or in a file aside where it may be larger than that; or a part of a mapped
// file that it keeps open. What is added to the latter makes it its own first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "files/growing_file.hpp"

namespace cmanp::data {

template <class Number>
class Numbers {
 public:
  using value_type = Number;
  using const_iterator = const Number*;

  Numbers() = default;
  Numbers(std::vector<Number> own) : own_(std::move(own)) {}
  Numbers(std::initializer_list<Number> own) : own_(own) {}
  Numbers(std::span<const Number> mapped, std::shared_ptr<const void> keeper)
      : mapped_(mapped), keeper_(std::move(keeper)) {}
  explicit Numbers(std::shared_ptr<files::GrowingFile> aside) : keeper_(aside), aside_(std::move(aside)) {}

  std::size_t size() const { return keeper_ ? mapped_.size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const Number* data() const { return keeper_ ? mapped_.data() : own_.data(); }
  const Number* begin() const { return data(); }
  const Number* end() const { return data() + size(); }
  Number operator[](std::size_t index) const { return data()[index]; }
  Number front() const { return *data(); }
  Number back() const { return data()[size() - 1]; }
  bool mapped() const { return keeper_ != nullptr; }

  void reserve(std::size_t count) {
    if (!keeper_) own_.reserve(count);
  }
  void push_back(Number value) {
    if (!keeper_) {
      own_.push_back(value);
    } else if (aside_ && aside_.use_count() == 2) {  // by keeper_ and itself: no other has it
      push_aside(value);
    } else {
      *this = Numbers(std::vector<Number>(begin(), end()));
      own_.push_back(value);
    }
  }

  // So many from `first` on; of a mapped file without a copy.
  Numbers part(std::size_t first, std::size_t count) const {
    if (keeper_) return {mapped_.subspan(first, count), keeper_};
    return std::vector<Number>(begin() + first, begin() + first + count);
  }

  bool operator==(const Numbers& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  void push_aside(Number value) {
    const std::size_t count = mapped_.size();
    if ((count + 1) * sizeof(Number) > aside_->size()) aside_->grow((count + 1) * sizeof(Number));
    auto* const numbers = reinterpret_cast<Number*>(aside_->data());
    numbers[count] = value;
    mapped_ = {numbers, count + 1};
  }

  std::vector<Number> own_;
  std::span<const Number> mapped_;
  std::shared_ptr<const void> keeper_;
  std::shared_ptr<files::GrowingFile> aside_;  // where it is what keeps it
};

using Values = Numbers<double>;

}  // namespace cmanp::data
