#include "forecasts/row_rivals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace cmanp::forecasts {
namespace {

using data::Window;

// A window's points as inputs and values.
class InputRows {
 public:
  explicit InputRows(const Window& window)
      : series_(*window.series), context_(window.context), width_(series_.known.size() / series_.x.size()) {}

  std::size_t size() const { return context_.size(); }
  std::size_t width() const { return width_; }
  double y(std::size_t i) const { return series_.values[context_[i]]; }
  std::span<const float> inputs(std::size_t i) const { return at(context_[i]); }
  std::span<const float> at(std::size_t point) const { return {series_.known.data() + point * width_, width_}; }

 private:
  const data::Series& series_;
  const std::vector<std::size_t>& context_;
  std::size_t width_;
};

// A deviation out of squared errors, never quite nothing.
double spread_of(double squares, double count, const Window& window) {
  const double unit = data::context_units(window.context_values(), false).scale;
  return count <= 0 ? unit : std::max(1e-3 * unit, std::sqrt(squares / count));
}

template <class Answer>  // (inputs) to a mean
Forecast with_one_deviation(const Window& window, double std, const Answer& answer) {
  const InputRows rows(window);
  Forecast forecast;
  for (const std::size_t target : window.targets) {
    forecast.mean.push_back(answer(rows.at(target)));
    forecast.std.push_back(std);
  }
  return forecast;
}

Forecast mean_of_context(const Window& window) {
  const base::Scale units = data::context_units(window.context_values(), false);
  return with_one_deviation(window, units.scale, [&](auto) { return units.shift; });
}

// But for point `but`.
std::size_t nearest_to(const InputRows& rows, std::span<const float> inputs, std::size_t but) {
  double least = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double distance = 0;
    for (std::size_t k = 0; k < rows.width(); ++k) {
      const double off = static_cast<double>(rows.inputs(i)[k]) - static_cast<double>(inputs[k]);
      distance += off * off;
    }
    if (i == but || distance >= least) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

// Bands by what each point of the context misses by its own nearest.
Forecast nearest_row(const Window& window) {
  const InputRows rows(window);
  double squares = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double error = rows.y(i) - rows.y(nearest_to(rows, rows.inputs(i), i));
    squares += error * error;
  }
  const double std = spread_of(squares, static_cast<double>(rows.size()), window);
  return with_one_deviation(window, std, [&](auto inputs) { return rows.y(nearest_to(rows, inputs, rows.size())); });
}

// Solves a x = b for a symmetric positive a [n][n] (Cholesky); what was there is lost.
std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
    const double root = std::sqrt(a[j * n + j]);
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return b;
}

// Least squares about the mean, with a little weight on small slopes so that few rows and words that never come have an
// answer.
Forecast linear_regression(const Window& window) {
  constexpr double kRidge = 0.1;  // in rows, as inputs are of a size about 1
  const InputRows rows(window);
  const std::size_t n = rows.width() + 1;
  const base::Scale units = data::context_units(window.context_values(), false);
  const auto input = [&](std::span<const float> inputs, std::size_t k) {
    return k + 1 == n ? 1.0 : static_cast<double>(inputs[k]);
  };
  std::vector<double> products(n * n), sums(n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t a = 0; a < n; ++a) {
      sums[a] += input(rows.inputs(i), a) * units(rows.y(i));
      for (std::size_t b = 0; b < n; ++b) {
        products[a * n + b] += input(rows.inputs(i), a) * input(rows.inputs(i), b);
      }
    }
  }
  for (std::size_t a = 0; a < n; ++a) products[a * n + a] += kRidge;
  const std::vector<double> slopes = solve(std::move(products), std::move(sums));
  const auto answer = [&](std::span<const float> inputs) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += slopes[k] * input(inputs, k);
    return units.back(sum);
  };
  double squares = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double error = rows.y(i) - answer(rows.inputs(i));
    squares += error * error;
  }
  const double free = static_cast<double>(rows.size()) - static_cast<double>(n);
  const double std = free > 0 ? spread_of(squares, free, window) : units.scale;
  return with_one_deviation(window, std, answer);
}

}  // namespace

std::vector<Rival> row_rivals() {
  return {{"mean", "mean of the context", mean_of_context},
          {"nearest", "the nearest row of the context", nearest_row},
          {"regression", "linear regression on the context", linear_regression}};
}

}  // namespace cmanp::forecasts
