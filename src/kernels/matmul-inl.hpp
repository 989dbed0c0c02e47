// The micro-kernel that every product of the library runs on, compiled once per target:
// a few rows times a panel or two, accumulators in registers.
#if defined(CMANP_KERNELS_MATMUL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CMANP_KERNELS_MATMUL_INL
#undef CMANP_KERNELS_MATMUL_INL
#else
#define CMANP_KERNELS_MATMUL_INL
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "kernels/panel.hpp"

HWY_BEFORE_NAMESPACE();
namespace cmanp::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kPanel>;
using FloatVec = hn::Vec<Floats>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Floats());
inline constexpr std::size_t kVectors = kPanel / kLanes;  // a panel's row

// Rows at once: as many accumulators as the registers hold, 12 of 16 with AVX2 and SSE, 24 of 32 with NEON.
inline constexpr std::size_t kRowTile = kVectors == 1 ? 12 : (kVectors == 2 || HWY_ARCH_ARM) ? 6 : 3;

// Panels at once: where a panel is one vector, two of them share what is read of a row, or reading would take longer
// than multiplying.
inline constexpr std::size_t kAbreast = kVectors == 1 ? 2 : 1;

// Steps of a sum in one pass of its loop: the end of many short passes is foretold, that of one long one is not.
inline constexpr std::size_t kUnroll = kVectors == 1 ? 1 : 4;

// What an output starts from; `add` from what is there.
enum class Start { zero, column_bias, row_bias, add, add_column_bias };
enum class Finish { none, relu };
// How the left factor lies in memory: a[r][k] at a[r * lda + k], or transposed at a[k * lda + r].
enum class Left { rows, columns };

// The right factor: row k of its first panel starts at at[k * ld], the next panel `next` behind.
struct Panels {
  const float* at;
  std::size_t ld;
  std::size_t next;
};

// acc[r][0..16 kPanels) += sum over k of a[r][k] * b[k][0..16 kPanels).
template <std::size_t kRows, std::size_t kPanels, Left kLeft>
HWY_INLINE void multiply_add(const float* HWY_RESTRICT a, std::size_t lda, const Panels& b, std::size_t depth,
                             FloatVec (&acc)[kRows][kPanels * kVectors]) {
  const Floats d;
  HWY_UNROLL(kUnroll)
  for (std::size_t k = 0; k < depth; ++k) {
    FloatVec row[kPanels * kVectors];
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) {
      row[v] = hn::LoadU(d, b.at + v / kVectors * b.next + k * b.ld + v % kVectors * kLanes);
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      const FloatVec factor = hn::Set(d, kLeft == Left::rows ? a[r * lda + k] : a[k * lda + r]);
      for (std::size_t v = 0; v < kPanels * kVectors; ++v) acc[r][v] = hn::MulAdd(factor, row[v], acc[r][v]);
    }
  }
}

// c[r][0..16) = start + sum over k of a[r][k] * b[k][0..16), for kRows rows and kPanels panels, those of c `next_c`
// apart.
template <std::size_t kRows, std::size_t kPanels, Start kStart, Finish kFinish, Left kLeft>
HWY_INLINE void tile(const float* HWY_RESTRICT a, std::size_t lda, const Panels& b, std::size_t depth,
                     const float* HWY_RESTRICT bias, float* c, std::size_t ldc, std::size_t next_c) {
  const Floats d;
  FloatVec acc[kRows][kPanels * kVectors];
  const auto to = [&](std::size_t r, std::size_t v) {
    return c + r * ldc + v / kVectors * next_c + v % kVectors * kLanes;
  };
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) {
      if constexpr (kStart == Start::zero) acc[r][v] = hn::Zero(d);
      if constexpr (kStart == Start::column_bias) acc[r][v] = hn::LoadU(d, bias + v * kLanes);
      if constexpr (kStart == Start::row_bias) acc[r][v] = hn::Set(d, bias[r]);
      if constexpr (kStart == Start::add) acc[r][v] = hn::LoadU(d, to(r, v));
      if constexpr (kStart == Start::add_column_bias) {
        acc[r][v] = hn::Add(hn::LoadU(d, to(r, v)), hn::LoadU(d, bias + v * kLanes));
      }
    }
  }
  multiply_add<kRows, kPanels, kLeft>(a, lda, b, depth, acc);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kPanels * kVectors; ++v) {
      if constexpr (kFinish == Finish::relu) acc[r][v] = hn::Max(acc[r][v], hn::Zero(d));
      hn::StoreU(acc[r][v], d, to(r, v));
    }
  }
}

// The same for any number of rows up to a full tile.
template <std::size_t kPanels, Start kStart, Finish kFinish, Left kLeft, std::size_t kRows = kRowTile>
HWY_INLINE void any_tile(std::size_t rows, const float* a, std::size_t lda, const Panels& b, std::size_t depth,
                         const float* bias, float* c, std::size_t ldc, std::size_t next_c) {
  if constexpr (kRows > 0) {
    if (rows == kRows) {
      tile<kRows, kPanels, kStart, kFinish, kLeft>(a, lda, b, depth, bias, c, ldc, next_c);
    } else {
      any_tile<kPanels, kStart, kFinish, kLeft, kRows - 1>(rows, a, lda, b, depth, bias, c, ldc, next_c);
    }
  }
}

// Cuts rows into tiles of nearly one size: the accumulators of one or two rows that are left over would wait for
// each other.
struct Tiles {
  std::size_t count;
  std::size_t each;    // rows of a tile,
  std::size_t larger;  // but so many tiles have one more

  explicit Tiles(std::size_t rows)
      : count((rows + kRowTile - 1) / kRowTile),
        each(count > 1 ? rows / count : rows),
        larger(count > 1 ? rows % count : 0) {}

  std::size_t next() {
    if (larger == 0) return each;
    --larger;
    return each + 1;
  }
};

// Any number of rows times kPanels panels.
template <std::size_t kPanels, Start kStart, Finish kFinish, Left kLeft>
HWY_INLINE void rows_times_abreast(const float* a, std::size_t lda, std::size_t rows, const Panels& b,
                                   std::size_t depth, const float* bias, float* c, std::size_t ldc,
                                   std::size_t next_c) {
  const auto bias_of = [bias](std::size_t r) { return kStart == Start::row_bias ? bias + r : bias; };
  const std::size_t step = kLeft == Left::rows ? lda : 1;
  Tiles tiles(rows);
  for (std::size_t r = 0, count; r < rows; r += count) {
    count = tiles.next();
    any_tile<kPanels, kStart, kFinish, kLeft>(count, a + r * step, lda, b, depth, bias_of(r), c + r * ldc, ldc, next_c);
  }
}

// Any number of rows times one panel.
template <Start kStart, Finish kFinish = Finish::none, Left kLeft = Left::rows>
HWY_INLINE void rows_times_panel(const float* a, std::size_t lda, std::size_t rows, const float* b, std::size_t ldb,
                                 std::size_t depth, const float* bias, float* c, std::size_t ldc) {
  rows_times_abreast<1, kStart, kFinish, kLeft>(a, lda, rows, {b, ldb, 0}, depth, bias, c, ldc, 0);
}

// Any number of rows times some panels; those of c are `next_c` apart.
template <Start kStart, Finish kFinish = Finish::none, Left kLeft = Left::rows>
HWY_INLINE void rows_times_panels(const float* a, std::size_t lda, std::size_t rows, const Panels& b, std::size_t count,
                                  std::size_t depth, const float* bias, float* c, std::size_t ldc,
                                  std::size_t next_c = kPanel) {
  const auto some = [&]<std::size_t kPanels>(std::size_t p) {
    const float* bias_of = kStart == Start::column_bias || kStart == Start::add_column_bias ? bias + p * kPanel : bias;
    rows_times_abreast<kPanels, kStart, kFinish, kLeft>(a, lda, rows, {b.at + p * b.next, b.ld, b.next}, depth, bias_of,
                                                        c + p * next_c, ldc, next_c);
  };
  std::size_t p = 0;
  for (; p + kAbreast <= count; p += kAbreast) some.template operator()<kAbreast>(p);
  for (; p < count; ++p) some.template operator()<1>(p);
}

// One row times this many panels at once: the accumulators of one would wait for each other.
inline constexpr std::size_t kWidePanels = kVectors == 4 && !HWY_ARCH_ARM ? 2 : 4;

// c[0..16 kWidePanels) = start + sum over k of a[k] * b[k], b [kWidePanels][depth][16].
template <Start kStart, Finish kFinish>
HWY_INLINE void row_times_wide(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t depth,
                               const float* HWY_RESTRICT bias, float* c) {
  static_assert(kStart == Start::column_bias || kStart == Start::add_column_bias);
  const Floats d;
  FloatVec acc[kWidePanels][kVectors];
  for (std::size_t p = 0; p < kWidePanels; ++p) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = p * kPanel + v * kLanes;
      acc[p][v] = hn::LoadU(d, bias + at);
      if constexpr (kStart == Start::add_column_bias) acc[p][v] = hn::Add(hn::LoadU(d, c + at), acc[p][v]);
    }
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const FloatVec factor = hn::Set(d, a[k]);
    for (std::size_t p = 0; p < kWidePanels; ++p) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[p][v] = hn::MulAdd(factor, hn::LoadU(d, b + (p * depth + k) * kPanel + v * kLanes), acc[p][v]);
      }
    }
  }
  for (std::size_t p = 0; p < kWidePanels; ++p) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      if constexpr (kFinish == Finish::relu) acc[p][v] = hn::Max(acc[p][v], hn::Zero(d));
      hn::StoreU(acc[p][v], d, c + p * kPanel + v * kLanes);
    }
  }
}

// Any number of rows times panels that lie one behind the other, [count][depth][16].
template <Start kStart, Finish kFinish = Finish::none>
HWY_INLINE void rows_times_packed(const float* a, std::size_t lda, std::size_t rows, const float* b, std::size_t count,
                                  std::size_t depth, const float* bias, float* c, std::size_t ldc) {
  std::size_t p = 0;
  for (; rows == 1 && p + kWidePanels <= count; p += kWidePanels) {
    row_times_wide<kStart, kFinish>(a, b + p * depth * kPanel, depth, bias + p * kPanel, c + p * kPanel);
  }
  rows_times_panels<kStart, kFinish>(a, lda, rows, {b + p * depth * kPanel, kPanel, depth * kPanel}, count - p, depth,
                                     bias + p * kPanel, c + p * kPanel, ldc);
}

}  // namespace cmanp::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
