#include "kernels/linear.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/every_target.hpp"
#include "kernels/plain.hpp"

namespace cmanp::kernels {
namespace {

class LinearTest : public EveryTarget {};

struct Shape {
  std::size_t rows, in, out;
};

// Sizes around tiles, panels and row blocks, and the smallest.
constexpr Shape kShapes[] = {{1, 1, 1},    {5, 3, 2},     {6, 16, 16},   {7, 17, 33},
                             {48, 64, 64}, {49, 64, 100}, {128, 64, 256}};

// Sums of `in` products of numbers of order 1: rounding grows like the square root of their number.
double tolerance(std::size_t in) { return 4e-7 * std::sqrt(static_cast<double>(in)) + 1e-6; }

TEST_P(LinearTest, EqualsPlainProduct) {
  for (const auto& [rows, in, out] : kShapes) {
    const auto weights = plain::random_matrix(out, in, 1, 1.0f / std::sqrt(static_cast<float>(in)));
    const auto bias = plain::random_matrix(1, out, 2);
    const auto x = plain::random_matrix(rows, in, 3);
    const Linear layer = Linear::pack(weights.data(), bias.data(), out, in);
    const auto padded_x = plain::pad_rows(x);
    const auto expected = plain::linear(plain::to_rows(x), weights, &bias);
    for (const Into into : {Into::set, Into::set_relu, Into::add}) {
      Buffer<float> y(rows * padded(out));
      std::fill(y.begin(), y.end(), 0.5f);
      linear(layer, padded_x.data(), padded(in), rows, y.data(), padded(out), into);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t o = 0; o < padded(out); ++o) {
          double want = o < out ? expected[r][o] : 0.0;
          if (into == Into::set_relu) want = std::max(want, 0.0);
          if (into == Into::add) want += 0.5;
          ASSERT_NEAR(y[r * padded(out) + o], want, tolerance(in))
              << rows << "x" << in << "x" << out << " at " << r << "," << o;
        }
      }
    }
  }
}

TEST_P(LinearTest, PackedFromTheOtherSideIsTheSame) {
  for (const auto& [rows, in, out] : kShapes) {
    const auto weights = plain::random_matrix(out, in, 1);
    auto transposed = plain::random_matrix(in, out, 1);
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) transposed(i, o) = static_cast<float>(weights(o, i));
    }
    const Linear layer = Linear::pack(weights.data(), nullptr, out, in);
    const Linear other = Linear::pack_transposed(transposed.data(), in, out);
    EXPECT_EQ(other.in, in);
    EXPECT_EQ(other.out, out);
    ASSERT_EQ(other.bias.size(), layer.bias.size());
    EXPECT_TRUE(std::equal(layer.panels.begin(), layer.panels.end(), other.panels.begin(), other.panels.end()));
  }
}

// However rows are cut into tiles: threads that share them, and one row by itself, change no bit.
TEST_P(LinearTest, ARowComesToTheSameBitsInAnyCompany) {
  constexpr std::size_t kRows = 49, kIn = 33, kOut = 100;
  const auto weights = plain::random_matrix(kOut, kIn, 8), bias = plain::random_matrix(1, kOut, 9);
  const auto x = plain::pad_rows(plain::random_matrix(kRows, kIn, 10));
  const Linear layer = Linear::pack(weights.data(), bias.data(), kOut, kIn);
  for (const Into into : {Into::set, Into::set_relu, Into::add}) {
    Buffer<float> alone(kRows * padded(kOut));
    for (std::size_t r = 0; r < kRows; ++r) {
      linear(layer, x.data() + r * padded(kIn), padded(kIn), 1, alone.data() + r * padded(kOut), padded(kOut), into);
    }
    for (std::size_t rows = 2; rows <= kRows; ++rows) {
      Buffer<float> y(rows * padded(kOut));
      linear(layer, x.data(), padded(kIn), rows, y.data(), padded(kOut), into);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], alone[i]) << rows << " rows at " << i;
    }
  }
}

TEST_P(LinearTest, TransposedGivesTheSameNumbersInPanels) {
  for (const auto& [rows, in, out] : kShapes) {
    const auto weights = plain::random_matrix(out, in, 4, 1.0f / std::sqrt(static_cast<float>(in)));
    const auto bias = plain::random_matrix(1, out, 5);
    const auto x = plain::random_matrix(rows, in, 6);
    const auto padded_x = plain::pad_rows(x);
    Buffer<float> panels_x(in * padded(rows));
    transpose_to_panels(padded_x.data(), padded(in), rows, in, panels_x.data());
    Buffer<float> y(out * padded(rows));
    linear_transposed(weights.data(), bias.data(), out, in, panels_x.data(), rows, y.data());
    const auto expected = plain::linear(plain::to_rows(x), weights, &bias);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < out; ++o) {
        ASSERT_NEAR(y[(r / kPanel * out + o) * kPanel + r % kPanel], expected[r][o], tolerance(in));
      }
    }
  }
}

// To panels and back is what it was, and what lies beside the rows is left alone.
TEST_P(LinearTest, PanelsToRowsUndoesTranspose) {
  for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 7}, {16, 16}, {17, 4}, {50, 35}}) {
    const std::size_t ld = width + 3;
    const auto x = plain::random_matrix(rows, ld, 7);
    Buffer<float> panels_x(width * padded(rows));
    transpose_to_panels(x.data(), ld, rows, width, panels_x.data());
    std::vector<float> back(rows * ld, -9.0f);
    panels_to_rows(panels_x.data(), rows, width, back.data(), ld);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < ld; ++i) {
        ASSERT_EQ(back[r * ld + i], i < width ? x.data()[r * ld + i] : -9.0f)
            << rows << "x" << width << " " << r << "," << i;
      }
    }
  }
}

CMANP_ON_EVERY_TARGET(LinearTest);

}  // namespace
}  // namespace cmanp::kernels
