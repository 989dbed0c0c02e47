#include "runtime/check_widths.hpp"

#include <algorithm>
#include <cmanp/context.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/value_step.hpp"
#include "runtime/framing.hpp"

namespace cmanp::runtime {
namespace {

// How these were chosen: docs/universal.md.
constexpr std::size_t kFewest = 20;   // observations that say anything
constexpr std::size_t kMost = 2048;   // that are looked at
constexpr std::size_t kFolds = 5;     // each held out in turn ...
constexpr std::size_t kEnough = 400;  // ... until so many were
constexpr double kFarthest = 16;      // the square of an error in deviations counts so much at most
constexpr double kDoubt = 10;         // as many errors of 1 are believed in beforehand
constexpr double kTail = 6;           // over their number: few errors say little of how large those to come may be

struct Observed {
  std::span<const double> values;
  std::size_t width;

  std::span<const double> operator[](std::size_t i) const { return values.subspan(i * width, width); }
  std::size_t size() const { return values.size() / width; }
};

std::vector<double> chosen(const Observed& rows, std::span<const std::size_t> which) {
  std::vector<double> result;
  result.reserve(which.size() * rows.width);
  for (const std::size_t i : which) result.insert(result.end(), rows[i].begin(), rows[i].end());
  return result;
}

// All rows, or some of many, in an order of no meaning that depends on what they hold, not on how they came.
std::vector<std::size_t> shuffled(const Observed& x, const Observed& y) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [](std::span<const double> a, std::span<const double> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return before(x[a], x[b]) || (!before(x[b], x[a]) && before(y[a], y[b]));
  });
  base::Random random(1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  order.resize(std::min(order.size(), kMost));
  return order;
}

// Where all of them lie. Empty of a model that needs none.
Range extent_of(const Observed& x, const Config& config) {
  Range range;
  if (!config.relative()) return range;
  for (std::size_t axis = 0; axis < config.axes(); ++axis) {
    double low = x[0][axis], high = low;
    for (std::size_t i = 1; i < x.size(); ++i) {
      low = std::min(low, x[i][axis]);
      high = std::max(high, x[i][axis]);
    }
    range.low.push_back(low);
    range.high.push_back(high);
  }
  return range;
}

// The deviation of what rounding to steps leaves of a value: evenly spread over one step.
double rounding(std::span<const double> values) { return base::value_step(values) / std::sqrt(12.0); }

// Errors of one column that was held out.
struct Errors {
  double squares = 0, variances = 0;  // squares in deviations; variances in units of the frame

  WidthCheck check(std::size_t count) const {
    const auto n = static_cast<double>(count);
    return {.factor = (squares + kDoubt) / (n + kDoubt) * (1 + kTail / n), .level = variances / n};
  }
};

std::vector<WidthCheck> check_widths(const Model& model, const Normalisation& frame, const Observed& x,
                                     const Observed& y) {
  const Range range = extent_of(x, model.config());
  if (x.size() < kFewest || (!range.empty() && range.low == range.high)) return {};
  const std::vector<std::size_t> order = shuffled(x, y);
  std::vector<Errors> errors(y.width);
  std::size_t count = 0;
  for (std::size_t fold = 0; fold < kFolds && count < kEnough; ++fold) {
    std::vector<std::size_t> held_out, kept;
    for (std::size_t i = 0; i < order.size(); ++i) (i % kFolds == fold ? held_out : kept).push_back(order[i]);
    Context context(model, {.range = range, .frame = frame});
    context.observe(chosen(x, kept), chosen(y, kept));
    const std::vector<double> came = chosen(y, held_out);
    std::vector<double> mean(came.size()), std(came.size());
    context.predict(chosen(x, held_out), mean, std);
    for (std::size_t i = 0; i < came.size(); ++i) {
      Errors& column = errors[i % y.width];
      const double error = (came[i] - mean[i]) / std[i], deviation = std[i] / frame.y_scale[i % y.width];
      column.squares += std::min(error * error, kFarthest);
      column.variances += deviation * deviation;
    }
    count += held_out.size();
  }
  std::vector<WidthCheck> widths;
  for (std::size_t c = 0; c < y.width; ++c) {
    widths.push_back(errors[c].check(count));
    widths.back().least = rounding(column(y.values, c, y.width)) / frame.y_scale[c];
    if (!std::isfinite(widths.back().factor) || !std::isfinite(widths.back().level)) return {};
  }
  return widths;
}

}  // namespace

Normalisation find_checked_frame(const Model& model, std::span<const double> x, std::span<const double> y,
                                 Finding finding) {
  const Config& config = model.config();
  Normalisation frame = find_frame(x, y, config, finding.seasons, finding.levels);
  if (finding.widths) frame.widths = check_widths(model, frame, {x, config.dim_x}, {y, config.dim_y});
  return frame;
}

Normalisation find_checked_frame(const Model& model, const base::FrameSample& sample, Finding finding) {
  const Config& config = model.config();
  Normalisation frame = find_frame(sample, config, finding.seasons, finding.levels);
  if (!finding.widths) return frame;
  const std::vector<double> x = sample.x();  // with the ends, of which it has no y
  const Observed y{sample.y(), config.dim_y};
  frame.widths = check_widths(model, frame, {std::span(x).first(y.size() * config.dim_x), config.dim_x}, y);
  return frame;
}

}  // namespace cmanp::runtime
