// A small row-major matrix of doubles for the plain definitions that tests compare with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cmanp::testing {

struct Matrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> values;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), values(r * c, 0.0) {}

  double& operator()(std::size_t r, std::size_t c) { return values[r * cols + c]; }
  double operator()(std::size_t r, std::size_t c) const { return values[r * cols + c]; }
  std::span<const double> row(std::size_t r) const { return {values.data() + r * cols, cols}; }
};

}  // namespace cmanp::testing
