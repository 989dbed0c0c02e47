#include "support/plain_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace cmanp::testing {
namespace {

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Attention softmax_attention(const Matrix& q, const Matrix& k, const Matrix& v, std::size_t heads) {
  const std::size_t size = q.cols / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  Attention result{Matrix(heads, q.rows), Matrix(q.rows, q.cols)};
  std::vector<double> scores(k.rows);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t n = 0; n < q.rows; ++n) {
      double largest = -std::numeric_limits<double>::infinity();
      for (std::size_t m = 0; m < k.rows; ++m) {
        scores[m] = scale * dot(q.row(n).data() + h * size, k.row(m).data() + h * size, size);
        largest = std::max(largest, scores[m]);
      }
      double sum = 0;
      for (std::size_t m = 0; m < k.rows; ++m) {
        const double weight = std::exp(scores[m] - largest);
        sum += weight;
        for (std::size_t i = 0; i < size; ++i) result.output(n, h * size + i) += weight * v(m, h * size + i);
      }
      result.log_normaliser(h, n) = largest + std::log(sum);
      for (std::size_t i = 0; i < size && k.rows > 0; ++i) result.output(n, h * size + i) /= sum;
    }
  }
  return result;
}

Matrix times_transposed(const Matrix& x, const Matrix& weight, const Matrix* bias) {
  if (x.cols != weight.cols) throw std::logic_error("widths differ");
  Matrix result(x.rows, weight.rows);
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t o = 0; o < weight.rows; ++o) {
      result(r, o) = dot(x.row(r).data(), weight.row(o).data(), x.cols) + (bias ? bias->values[o] : 0.0);
    }
  }
  return result;
}

Matrix layer_norm(const Matrix& x, const Matrix& gain, const Matrix& bias) {
  Matrix result(x.rows, x.cols);
  const double n = static_cast<double>(x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    double mean = 0, variance = 0;
    for (const double value : x.row(r)) mean += value / n;
    for (const double value : x.row(r)) variance += (value - mean) * (value - mean) / n;
    const double inverse = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t c = 0; c < x.cols; ++c) {
      result(r, c) = (x(r, c) - mean) * inverse * gain.values[c] + bias.values[c];
    }
  }
  return result;
}

Matrix add(const Matrix& a, const Matrix& b) {
  Matrix result = a;
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] += b.values[i];
  return result;
}

Matrix columns(const Matrix& x, std::size_t first, std::size_t count) {
  Matrix result(x.rows, count);
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < count; ++c) result(r, c) = x(r, first + c);
  }
  return result;
}

void relu(Matrix& x) {
  for (double& value : x.values) value = std::max(value, 0.0);
}

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

double softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

Matrix cholesky(const Matrix& a) {
  Matrix l(a.rows, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = a(i, j) - dot(l.row(i).data(), l.row(j).data(), j);
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  }
  return l;
}

}  // namespace cmanp::testing
