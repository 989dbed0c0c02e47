// Predictions of points that the predictor has not seen: by folds, each held out in turn and predicted from the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cmanp::measures {

struct Points {
  std::vector<double> x, y;  // [point][dim_x], [point][dim_y]
};

struct HeldOut {
  std::vector<double> y, mean, std;  // [point][dim_y]
  std::vector<std::size_t> fold;     // of each number above
};

// Fills mean and std of targets x from the points seen.
using PredictFrom =
    std::function<void(const Points& seen, std::span<const double> x, std::span<double> mean, std::span<double> std)>;

// Folds of equal size, drawn by the seed. Throws Error where there are fewer points than folds, or fewer than two.
HeldOut hold_out(const Points& points, std::size_t dim_x, std::size_t dim_y, std::size_t folds, std::uint64_t seed,
                 const PredictFrom& predict);

}  // namespace cmanp::measures
