#include "runtime/reach.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::runtime {
namespace {

// Of a symmetric matrix.
std::vector<double> squared(const std::vector<double>& a, std::size_t n) {
  std::vector<double> result(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) result[i * n + j] += a[i * n + k] * a[k * n + j];
    }
  }
  return result;
}

double trace(const std::vector<double>& a, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i * n + i];
  return sum;
}

}  // namespace

// The largest eigenvalue of M Mᵀ is at most the k-th root of the trace of its k-th power, here the eighth.
double largest_stretch(const std::vector<double>& matrix, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kMostRows = 128;  // beyond, the first power will do: larger, but never too small
  double whole = 0;
  for (const double value : matrix) whole += value * value;
  if (rows > kMostRows || !(whole > 0) || !std::isfinite(whole)) return std::sqrt(whole);
  std::vector<double> gram(rows * rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      for (std::size_t k = 0; k < columns; ++k) gram[i * rows + j] += matrix[i * columns + k] * matrix[j * columns + k];
      gram[i * rows + j] /= whole;
    }
  }
  for (int power = 1; power < 8; power *= 2) gram = squared(gram, rows);
  return std::sqrt(whole * std::pow(trace(gram, rows), 1.0 / 8));
}

double longest_projection(const float* weights, std::size_t rows, const std::vector<float>& gamma,
                          const std::vector<float>& beta) {
  const std::size_t width = gamma.size();
  std::vector<double> scaled(rows * width);
  double shift = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double weight = static_cast<double>(weights[r * width + i]);
      scaled[r * width + i] = weight * static_cast<double>(gamma[i]);
      sum += weight * static_cast<double>(beta[i]);
    }
    shift += sum * sum;
  }
  return largest_stretch(scaled, rows, width) * std::sqrt(static_cast<double>(width)) + std::sqrt(shift);
}

double reach_among_keys(double score_bound, double gamma, double nearest_squared) {
  return std::sqrt((kUnnoticed + 2 * score_bound) / gamma + nearest_squared);
}

double reach_to_context(double score_bound, double gamma, double null_score) {
  return std::sqrt(std::max(0.0, kUnnoticedOfMany + score_bound - null_score) / gamma);
}

}  // namespace cmanp::runtime
