#include "cli/questions.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <span>
#include <utility>

namespace cmanp::cli {

void QuestionBatch::print_header() {
  if (!json_) output_.text(answers_header(context_.model().config()));
}

void QuestionBatch::add(const tables::Row& row) {
  x_.insert(x_.end(), row.x.begin(), row.x.end());
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
  if (answered) return print(x, lines.size());
  // Row by row, to find whose fault it was.
  const std::size_t width = context_.model().config().dim_x;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto row = std::span(x).subspan(i * width, width);
    try {
      predict(row, 1);
    } catch (const Error& error) {
      on_bad_row(Error(fmt::format("{}:{}: {}", name, lines[i], error.what())));
      continue;
    }
    print(row, 1);
  }
}

void QuestionBatch::predict(std::span<const double> x, std::size_t rows) {
  answers_.mean.resize(rows * context_.model().config().dim_y);
  answers_.std.resize(answers_.mean.size());
  context_.predict(x, answers_.mean, answers_.std);
}

void QuestionBatch::print(std::span<const double> x, std::size_t rows) {
  const Config& config = context_.model().config();
  for (std::size_t i = 0; i < rows; ++i) {
    if (json_) {
      print_json_answer(output_, config, x, answers_, i, context_.size());
    } else {
      print_answer(output_, config, x, answers_, i);
    }
  }
}

}  // namespace cmanp::cli
