// Questions of a stream, gathered while more are already there, and answered together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/learner.hpp"
#include "streams/point_batch.hpp"
#include "tables/csv.hpp"

namespace cmanp::streams {

struct PointAnswer {
  std::span<const double> x, mean, std;
  std::uint64_t observed = 0;            // points that it rests on
  std::span<const double> y = {};        // what came: of a point that is asked for ahead
  std::span<const double> unusual = {};  // how far that is out of the ordinary, where it is asked for

  // By how many deviations what came is off what was expected.
  std::vector<double> off() const;
};

using OnPointAnswer = std::function<void(const PointAnswer&)>;

class QuestionBatch {
 public:
  static constexpr std::size_t kRows = 1024;

  using Before = std::function<void(std::span<const double> x)>;  // throws Error where they are to be refused

  QuestionBatch(runtime::Learner& learner, OnPointAnswer on_answer, Before before)
      : learner_(learner), on_answer_(std::move(on_answer)), before_(std::move(before)) {}

  // One with a y is to be the only one.
  void add(const tables::Row& row);
  bool empty() const { return lines_.empty(); }
  bool full() const { return lines_.size() >= kRows; }

  std::span<const double> x() const { return x_; }

  // Answers all that was added and forgets it. `name` is the file that it came from.
  void answer(const std::string& name, const OnBadRow& on_bad_row);

 private:
  // Predicts at x [rows][dim_x]; on failure the answers are left undefined.
  void predict(std::span<const double> x, std::size_t rows);
  void give_out(std::span<const double> x, std::size_t rows) const;

  runtime::Learner& learner_;
  OnPointAnswer on_answer_;
  Before before_;
  std::vector<double> x_;             // [row][dim_x]
  std::vector<double> y_;             // of a point
  std::vector<std::uint64_t> lines_;  // [row]
  std::vector<double> mean_, std_;    // [row][dim_y]
};

}  // namespace cmanp::streams
