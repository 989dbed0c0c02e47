// Questions of a stream, gathered while more are already there, answered together, printed a line each.
#pragma once

#include <cmanp/context.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/answers.hpp"
#include "cli/output.hpp"
#include "cli/points.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {

class QuestionBatch {
 public:
  static constexpr std::size_t kRows = 1024;

  QuestionBatch(Context& context, bool json) : context_(context), json_(json) {}

  void print_header();
  void add(const tables::Row& row);
  bool full() const { return lines_.size() >= kRows; }

  // Answers all that was added and forgets it. `name` is the file that it came from.
  void answer(const std::string& name, const OnBadRow& on_bad_row);

  // The answers so far reach the reader.
  void flush() { output_.flush(); }

 private:
  // Predicts at x [rows][dim_x]; on failure the answers are left undefined.
  void predict(std::span<const double> x, std::size_t rows);
  void print(std::span<const double> x, std::size_t rows);

  Context& context_;
  bool json_;
  Output output_;
  std::vector<double> x_;             // [row][dim_x]
  std::vector<std::uint64_t> lines_;  // [row]
  Answers answers_;
};

}  // namespace cmanp::cli
