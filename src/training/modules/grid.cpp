#include "training/modules/grid.hpp"

#include "base/grid_axis.hpp"

namespace cmanp::training {

Grid Grid::over(const Box& box, double spacing) {
  Grid grid;
  grid.spacing_ = spacing;
  for (std::size_t axis = 0; axis < box.low.size(); ++axis) {
    const auto [origin, count] = base::GridAxis::over(box.low[axis], box.high[axis], spacing);
    grid.counts_.push_back(static_cast<std::int64_t>(count));
    grid.origin_.push_back(origin);
  }
  return grid;
}

Grid Grid::drawn(const Box& box, double spacing, const torch::Tensor& shares) {
  Grid grid;
  grid.spacing_ = spacing;
  const double* share = shares.data_ptr<double>();
  for (std::size_t axis = 0; axis < box.low.size(); ++axis) {
    // Whole spacings of freedom: any offset is as likely as any other.
    const double below = (1 + 2 * *share++) * spacing, above = (1 + 2 * *share++) * spacing;
    const double length = box.high[axis] - box.low[axis] + below + above;
    grid.counts_.push_back(static_cast<std::int64_t>(base::grid_steps(length, spacing)) + 1);
    grid.origin_.push_back(box.low[axis] - below);
  }
  return grid;
}

std::int64_t Grid::size() const {
  std::int64_t points = 1;
  for (const std::int64_t count : counts_) points *= count;
  return points;
}

torch::Tensor Grid::places(const torch::Tensor& like) const {
  std::vector<torch::Tensor> axes;
  for (const std::int64_t count : counts_) axes.push_back(torch::arange(count, torch::kFloat64) * spacing_);
  std::vector<torch::Tensor> columns;
  for (const torch::Tensor& column : torch::meshgrid(axes, "ij")) columns.push_back(column.flatten());
  return torch::stack(columns, -1).unsqueeze(0).to(like.options());
}

torch::Tensor Grid::places_of(const torch::Tensor& x, const torch::Tensor& like) const {
  const torch::Tensor places = x.narrow(-1, 0, static_cast<std::int64_t>(origin_.size())).to(torch::kFloat64);
  const torch::Tensor from_origin = places - torch::tensor(origin_, torch::kFloat64).to(x.device());
  return from_origin.to(like.options());
}

}  // namespace cmanp::training
