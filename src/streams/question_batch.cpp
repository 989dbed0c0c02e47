#include "streams/question_batch.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <utility>

namespace cmanp::streams {

std::vector<double> PointAnswer::off() const {
  std::vector<double> result;
  for (std::size_t c = 0; c < y.size(); ++c) result.push_back((y[c] - mean[c]) / std[c]);
  return result;
}

void QuestionBatch::add(const tables::Row& row) {
  x_.insert(x_.end(), row.x.begin(), row.x.end());
  y_.assign(row.y.begin(), row.y.end());
  lines_.push_back(row.line);
}

void QuestionBatch::answer(const std::string& name, const OnBadRow& on_bad_row) {
  if (lines_.empty()) return;
  const std::vector<double> x = std::exchange(x_, {});
  const std::vector<std::uint64_t> lines = std::exchange(lines_, {});
  bool answered = true;
  try {
    predict(x, lines.size());
  } catch (const Error&) {
    answered = false;
  }
  if (answered) return give_out(x, lines.size());
  // Row by row, to find whose fault it was.
  const std::size_t width = learner_.config().dim_x;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto row = std::span(x).subspan(i * width, width);
    try {
      predict(row, 1);
    } catch (const Error& error) {
      on_bad_row(Error(fmt::format("{}:{}: {}", name, lines[i], error.what())));
      continue;
    }
    give_out(row, 1);
  }
}

void QuestionBatch::predict(std::span<const double> x, std::size_t rows) {
  mean_.resize(rows * learner_.config().dim_y);
  std_.resize(mean_.size());
  before_(x);
  learner_.predict(x, mean_, std_);
}

void QuestionBatch::give_out(std::span<const double> x, std::size_t rows) const {
  const std::size_t dim_x = learner_.config().dim_x, dim_y = learner_.config().dim_y;
  for (std::size_t i = 0; i < rows; ++i) {
    on_answer_({x.subspan(i * dim_x, dim_x),
                std::span(mean_).subspan(i * dim_y, dim_y),
                std::span(std_).subspan(i * dim_y, dim_y),
                learner_.size(),
                y_,
                {}});
  }
}

}  // namespace cmanp::streams
