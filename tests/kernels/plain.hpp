// What the kernels are held against: loops in double precision, and matrices to feed them with.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/panel.hpp"

namespace cmanp::kernels::plain {

// Row-major, without padding.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;

  float& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double operator()(std::size_t r, std::size_t c) const { return static_cast<double>(values[r * columns + c]); }
  const float* data() const { return values.data(); }
};

inline Matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed, float scale = 1.0f) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0f, scale);
  Matrix result{rows, columns, std::vector<float>(rows * columns)};
  for (float& value : result.values) value = normal(generator);
  return result;
}

// The same with rows padded as kernels want them.
inline Buffer<float> pad_rows(const Matrix& matrix) {
  Buffer<float> result(matrix.rows * padded(matrix.columns));
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    std::copy_n(matrix.data() + r * matrix.columns, matrix.columns, result.data() + r * padded(matrix.columns));
  }
  return result;
}

using Rows = std::vector<std::vector<double>>;

// x W^T + b
inline Rows linear(const Rows& x, const Matrix& weights, const Matrix* bias) {
  Rows result(x.size(), std::vector<double>(weights.rows));
  for (std::size_t r = 0; r < x.size(); ++r) {
    for (std::size_t o = 0; o < weights.rows; ++o) {
      double sum = bias != nullptr ? (*bias)(0, o) : 0.0;
      for (std::size_t i = 0; i < weights.columns; ++i) sum += x[r][i] * weights(o, i);
      result[r][o] = sum;
    }
  }
  return result;
}

inline Rows layer_norm(const Rows& x, const Matrix& gamma, const Matrix& beta) {
  Rows result = x;
  for (auto& row : result) {
    const double width = static_cast<double>(row.size());
    double mean = 0, variance = 0;
    for (const double value : row) mean += value / width;
    for (const double value : row) variance += (value - mean) * (value - mean) / width;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * gamma(0, i) + beta(0, i);
    }
  }
  return result;
}

inline Rows to_rows(const Matrix& matrix) {
  Rows result(matrix.rows, std::vector<double>(matrix.columns));
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.columns; ++c) result[r][c] = matrix(r, c);
  }
  return result;
}

// softmax(q k^T) v per head, heads side by side; q is already scaled.
inline Rows attention(const Rows& q, const Rows& k, const Rows& v, std::size_t heads) {
  const std::size_t dim = q[0].size() / heads;
  Rows result(q.size(), std::vector<double>(q[0].size(), 0.0));
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t r = 0; r < q.size(); ++r) {
      std::vector<double> scores(k.size(), 0.0);
      double largest = -INFINITY, sum = 0;
      for (std::size_t j = 0; j < k.size(); ++j) {
        for (std::size_t i = h * dim; i < (h + 1) * dim; ++i) scores[j] += q[r][i] * k[j][i];
        largest = std::max(largest, scores[j]);
      }
      for (double& score : scores) sum += score = std::exp(score - largest);
      for (std::size_t j = 0; j < k.size(); ++j) {
        for (std::size_t i = h * dim; i < (h + 1) * dim; ++i) result[r][i] += scores[j] / sum * v[j][i];
      }
    }
  }
  return result;
}

inline double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace cmanp::kernels::plain
