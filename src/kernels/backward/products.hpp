// The products that gradients of weights are made of.
#pragma once

#include <cstddef>

namespace cmanp::kernels {

// c [columns_a][columns_b] += a^T b, over rows of a [rows][lda] and b [rows][ldb]; columns_b is a multiple of 16.
void add_transposed_product(const float* a, std::size_t lda, std::size_t columns_a, const float* b, std::size_t ldb,
                            std::size_t columns_b, std::size_t rows, float* c, std::size_t ldc);

// sums[i] += the sum of column i; columns is a multiple of 16.
void add_column_sums(const float* x, std::size_t ldx, std::size_t columns, std::size_t rows, float* sums);

}  // namespace cmanp::kernels
