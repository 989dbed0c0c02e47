#include "kernels/backward/products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backward/products.cpp"
#include "kernels/targets.hpp"
// Order matters: the targets, then what is compiled once for each.
#include <hwy/foreach_target.h>

#include "kernels/matmul-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {

void add_transposed_product_target(const float* a, std::size_t lda, std::size_t columns_a, const float* b,
                                   std::size_t ldb, std::size_t columns_b, std::size_t rows, float* c,
                                   std::size_t ldc) {
  rows_times_panels<Start::add, Finish::none, Left::columns>(a, lda, columns_a, {b, ldb, kPanel}, panels(columns_b),
                                                             rows, nullptr, c, ldc);
}

void add_column_sums_target(const float* x, std::size_t ldx, std::size_t columns, std::size_t rows, float* sums) {
  const Floats d;
  for (std::size_t i = 0; i < columns; i += kLanes) {
    auto sum = hn::LoadU(d, sums + i);
    for (std::size_t r = 0; r < rows; ++r) sum = hn::Add(sum, hn::LoadU(d, x + r * ldx + i));
    hn::StoreU(sum, d, sums + i);
  }
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cmanp::kernels {

HWY_EXPORT(add_transposed_product_target);
HWY_EXPORT(add_column_sums_target);

void add_transposed_product(const float* a, std::size_t lda, std::size_t columns_a, const float* b, std::size_t ldb,
                            std::size_t columns_b, std::size_t rows, float* c, std::size_t ldc) {
  HWY_DYNAMIC_DISPATCH(add_transposed_product_target)(a, lda, columns_a, b, ldb, columns_b, rows, c, ldc);
}

void add_column_sums(const float* x, std::size_t ldx, std::size_t columns, std::size_t rows, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_column_sums_target)(x, ldx, columns, rows, sums);
}

}  // namespace cmanp::kernels
#endif
