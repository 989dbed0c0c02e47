#include "streams/point_batch.hpp"

#include <fmt/format.h>

namespace cmanp::streams {
namespace {

struct Emptied {
  PointBatch& batch;
  ~Emptied() { batch.clear(); }
};

}  // namespace

void PointBatch::add(const tables::Row& row) {
  x_.insert(x_.end(), row.x.begin(), row.x.end());
  y_.insert(y_.end(), row.y.begin(), row.y.end());
  lines_.push_back(row.line);
}

void PointBatch::clear() {
  x_.clear();
  y_.clear();
  lines_.clear();
}

void PointBatch::observe(const Observe& observe, const std::string& name, const OnBadRow& on_bad_row) {
  if (lines_.empty()) return;
  const Emptied at_the_end{*this};  // whatever is thrown, nothing is observed twice
  try {
    observe(x_, y_);
  } catch (const Error&) {
    // A refused batch left nothing behind: row by row, to find whose fault it was.
    const std::size_t dim_x = x_.size() / lines_.size(), dim_y = y_.size() / lines_.size();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      try {
        observe(std::span(x_).subspan(i * dim_x, dim_x), std::span(y_).subspan(i * dim_y, dim_y));
      } catch (const Error& error) {
        on_bad_row(Error(fmt::format("{}:{}: {}", name, lines_[i], error.what())));
      }
    }
  }
}

}  // namespace cmanp::streams
