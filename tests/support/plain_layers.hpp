// The pieces of PlainModel that know no model: softmax attention over one head set, and small functions.
#pragma once

#include <cstddef>

#include "support/matrix.hpp"

namespace cmanp::testing {

struct Attention {
  Matrix log_normaliser;  // [head][query]
  Matrix output;          // [query][head * head_dim + i]
};

// Softmax attention, head by head: q [n][d], k and v [m][d]. No keys give a zero output.
Attention softmax_attention(const Matrix& q, const Matrix& k, const Matrix& v, std::size_t heads);

// x Wᵀ + b; no bias where it is null. W is [out][in].
Matrix times_transposed(const Matrix& x, const Matrix& weight, const Matrix* bias);

Matrix layer_norm(const Matrix& x, const Matrix& gain, const Matrix& bias);
Matrix add(const Matrix& a, const Matrix& b);
Matrix columns(const Matrix& x, std::size_t first, std::size_t count);
void relu(Matrix& x);

double gelu(double x);
double softplus(double x);

// The lower Cholesky factor.
Matrix cholesky(const Matrix& a);

}  // namespace cmanp::testing
