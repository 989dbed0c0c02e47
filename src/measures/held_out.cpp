#include "measures/held_out.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <numeric>
#include <utility>

#include "base/random.hpp"

namespace cmanp::measures {
namespace {

// Fisher and Yates.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::Random random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

void append_row(std::vector<double>& to, const std::vector<double>& from, std::size_t row, std::size_t width) {
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
}

}  // namespace

HeldOut hold_out(const Points& points, std::size_t dim_x, std::size_t dim_y, std::size_t folds, std::uint64_t seed,
                 const PredictFrom& predict) {
  const std::size_t count = points.x.size() / dim_x;
  if (folds < 2 || count < folds) {
    throw Error(fmt::format("{} points are too few to hold out each of {} parts in turn", count, folds),
                ErrorKind::argument);
  }
  const std::vector<std::size_t> order = shuffled(count, seed);
  HeldOut result;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    Points seen, held;
    for (std::size_t i = 0; i < count; ++i) {  // in the order of the file: the shuffled place only says which fold
      Points& side = order[i] % folds == fold ? held : seen;
      append_row(side.x, points.x, i, dim_x);
      append_row(side.y, points.y, i, dim_y);
    }
    std::vector<double> mean(held.y.size()), std(held.y.size());
    predict(seen, held.x, mean, std);
    result.y.insert(result.y.end(), held.y.begin(), held.y.end());
    result.mean.insert(result.mean.end(), mean.begin(), mean.end());
    result.std.insert(result.std.end(), std.begin(), std.end());
    result.fold.insert(result.fold.end(), held.y.size(), fold);
  }
  return result;
}

}  // namespace cmanp::measures
