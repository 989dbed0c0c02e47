// Relative attention against its definition in double: angles, whole attention, and a state that is read later.
#include "kernels/relative_attention.hpp"

#include "kernels/attention_fixture.hpp"
#include "kernels/attention_state.hpp"
#include "kernels/every_target.hpp"

namespace cmanp::kernels {
namespace {

constexpr AttentionSizes kRelativeSizes[] = {
    {{1, 2}, 1, 1}, {{2, 8}, 13, 16}, {{3, 6}, 25, 40}, {{2, 24}, 12, 31}, {{4, 16}, 45, 60}};

Buffer<float> transposed(const std::vector<float>& rows, std::size_t count, std::size_t width, std::size_t ld) {
  Buffer<float> columns(width * ld);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < width; ++i) columns[i * ld + r] = rows[r * width + i];
  }
  return columns;
}

// Inputs of the kernels, and the same in double.
struct RelativeInputs {
  RelativeInputs(const AttentionSizes& sizes_, std::size_t axes_, bool null)
      : sizes(sizes_),
        axes(axes_),
        half(sizes.heads.dim / 2),
        inputs(sizes, 3),
        gamma(plain::random_matrix(1, sizes.heads.count, 4)),
        omega(plain::random_matrix(sizes.heads.count * half, axes, 5, 6.0f)),
        null_score(plain::random_matrix(1, sizes.heads.count, 6)),
        null_value(plain::random_matrix(sizes.heads.count, 2 * half, 7)),
        query_places(plain::random_matrix(sizes.queries, axes, 8)),
        key_places(plain::random_matrix(sizes.keys, axes, 9)) {
    for (float& value : gamma.values) value *= value;
    relative = RelativeHeads::pack(sizes.heads, half, axes, gamma.data(), omega.data(),
                                   null ? null_score.data() : nullptr, null ? null_value.data() : nullptr);
    with_null = null;
    const std::size_t width = relative.turns();
    query_cos = query_sin = Buffer<float>(sizes.queries * width);
    Buffer<float> key_cos(sizes.keys * width), key_sin(sizes.keys * width);
    make_turns(relative, query_places.data(), sizes.queries, query_cos.data(), query_sin.data());
    make_turns(relative, key_places.data(), sizes.keys, key_cos.data(), key_sin.data());
    turned_q = inputs.q.values;
    turned_k = inputs.k.values;
    const std::size_t inner = sizes.heads.inner();
    turn(relative, turns(), sizes.queries, Way::there, turned_q.data(), inner, sizes.heads.dim);
    turn(relative, {key_cos.data(), key_sin.data()}, sizes.keys, Way::there, turned_k.data(), inner, sizes.heads.dim);
    turn(relative, {key_cos.data(), key_sin.data()}, sizes.keys, Way::there, inputs.values.data(),
         sizes.heads.padded_inner(), padded(sizes.heads.dim));
    columns = GridQueryColumns::columns(sizes.queries);
    query_columns = transposed(turned_q, sizes.queries, inner, columns);
    by_axis = Buffer<float>(axes * columns);
    places_by_axis(query_places.data(), sizes.queries, axes, by_axis.data(), columns);
  }

  Turns turns() const { return {query_cos.data(), query_sin.data()}; }
  RelativeQueries queries() const { return {turned_q.data(), sizes.heads.inner(), sizes.queries, query_places.data()}; }
  GridQueryColumns grid() const { return {query_columns.data(), by_axis.data(), columns, sizes.queries}; }
  RelativeKeys keys() const {
    return {turned_k.data(),   sizes.heads.inner(), inputs.values.data(), sizes.heads.padded_inner(),
            key_places.data(), sizes.keys};
  }

  // By the difference of places alone: q · R(p' - p) k, and values turned by R(p' - p).
  plain::Rows expected() const {
    const plain::Matrix &q = inputs.q, &k = inputs.k, &v = inputs.v, &p = query_places, &at = key_places, &w = omega;
    const plain::Matrix &g = gamma, &ns = null_score, &nv = null_value;
    plain::Rows out(sizes.queries, std::vector<double>(sizes.heads.inner()));
    for (std::size_t r = 0; r < sizes.queries; ++r) {
      for (std::size_t h = 0; h < sizes.heads.count; ++h) {
        const std::size_t first = h * sizes.heads.dim;
        std::vector<double> scores;
        plain::Rows values;
        for (std::size_t j = 0; j < sizes.keys; ++j) {
          double score = 0, apart = 0;
          std::vector<double> value(sizes.heads.dim);
          for (std::size_t i = 0; i < half; ++i) {
            double angle = 0;
            for (std::size_t a = 0; a < axes; ++a) angle += w(h * half + i, a) * (at(j, a) - p(r, a));
            const double c = std::cos(angle), s = std::sin(angle);
            const std::size_t one = first + i, two = first + half + i;
            score += q(r, one) * (c * k(j, one) - s * k(j, two)) + q(r, two) * (s * k(j, one) + c * k(j, two));
            value[i] = c * v(j, one) - s * v(j, two);
            value[half + i] = s * v(j, one) + c * v(j, two);
          }
          for (std::size_t a = 0; a < axes; ++a) apart += (p(r, a) - at(j, a)) * (p(r, a) - at(j, a));
          scores.push_back(score - g(0, h) * apart);
          values.push_back(value);
        }
        if (with_null) {
          scores.push_back(ns(0, h));
          values.emplace_back();
          for (std::size_t i = 0; i < 2 * half; ++i) values.back().push_back(nv(h, i));
        }
        double sum = 0;
        for (double& score : scores) sum += score = std::exp(score);
        for (std::size_t j = 0; j < scores.size(); ++j) {
          for (std::size_t i = 0; i < sizes.heads.dim; ++i) out[r][first + i] += scores[j] / sum * values[j][i];
        }
      }
    }
    return out;
  }

  AttentionSizes sizes;
  std::size_t axes, half;
  AttentionInputs inputs;
  plain::Matrix gamma;
  const plain::Matrix omega, null_score, null_value, query_places, key_places;
  bool with_null = false;
  RelativeHeads relative;
  std::size_t columns = 0;
  Buffer<float> query_cos, query_sin, query_columns, by_axis;
  std::vector<float> turned_q, turned_k;
};

class RelativeAttentionTest : public EveryTarget {};

TEST_P(RelativeAttentionTest, AnglesAreExactFarFromTheOrigin) {
  const std::vector<float> gamma{1}, omega{40, 0.37f, 3.1f, 11};
  const RelativeHeads relative = RelativeHeads::pack({1, 8}, 4, 1, gamma.data(), omega.data(), nullptr, nullptr);
  for (const float place : {0.0f, -0.3f, 1.7f, 63.9f, -255.5f}) {
    Buffer<float> cos(relative.turns()), sin(relative.turns());
    make_turns(relative, &place, 1, cos.data(), sin.data());
    for (std::size_t i = 0; i < 4; ++i) {
      const double angle = static_cast<double>(omega[i]) * static_cast<double>(place);
      // Without an FMA the product itself is rounded.
      const double tolerance =
          3e-7 +
          (GetParam() == HWY_SSE4 || GetParam() == HWY_EMU128 || GetParam() == HWY_SCALAR ? 2e-7 : 0) * std::abs(angle);
      EXPECT_NEAR(cos[i], std::cos(angle), tolerance) << place << " " << i;
      EXPECT_NEAR(sin[i], std::sin(angle), tolerance) << place << " " << i;
    }
  }
}

// Two turns, each rounded, of places that are rounded: tolerances follow the largest angle.
TEST_P(RelativeAttentionTest, AGridsAnglesAreThoseOfItsPlaces) {
  const std::vector<float> gamma{1}, omega{28.5f, 0.37f, 3.1f, 11};
  const RelativeHeads relative = RelativeHeads::pack({1, 8}, 4, 1, gamma.data(), omega.data(), nullptr, nullptr);
  constexpr std::size_t kRows = 125;
  constexpr double kSpacing = 0.105;
  std::vector<float> grid(kRows);
  for (std::size_t r = 0; r < kRows; ++r) grid[r] = static_cast<float>(static_cast<double>(r) * kSpacing);
  const std::size_t width = relative.turns();
  Buffer<float> cos(kRows * width), sin(kRows * width), part_cos(kRows * width), part_sin(kRows * width);
  make_grid_turns(relative, grid.data(), 0, kRows, cos.data(), sin.data());
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double angle = static_cast<double>(omega[i]) * static_cast<double>(r) * kSpacing;
      EXPECT_NEAR(cos[r * width + i], std::cos(angle), 6e-7 + 3e-7 * angle) << r << " " << i;
      EXPECT_NEAR(sin[r * width + i], std::sin(angle), 6e-7 + 3e-7 * angle) << r << " " << i;
    }
  }
  for (const std::size_t first : {1, 5, 16, 67}) {
    make_grid_turns(relative, grid.data(), first, kRows, part_cos.data(), part_sin.data());
    for (std::size_t i = 0; i < (kRows - first) * width; ++i) {
      ASSERT_EQ(part_cos[i], cos[first * width + i]) << first << " " << i;
      ASSERT_EQ(part_sin[i], sin[first * width + i]) << first << " " << i;
    }
  }
}

TEST_P(RelativeAttentionTest, EqualsItsDefinition) {
  for (const AttentionSizes& sizes : kRelativeSizes) {
    for (const std::size_t axes : {1, 3}) {
      for (const bool null : {false, true}) {
        const RelativeInputs in(sizes, axes, null);
        Buffer<float> out(sizes.queries * sizes.heads.padded_inner()),
            scratch(relative_attention_scratch(in.relative, sizes.keys));
        attend_relative(in.relative, in.queries(), in.turns(), in.keys(), out.data(), sizes.heads.padded_inner(),
                        scratch.data());
        expect_heads_near(sizes, out, in.expected(), 2e-5);
      }
    }
  }
}

// Absorbed into a state and read from it: what attends to all keys at once.
TEST_P(RelativeAttentionTest, AStateReadIsTheSame) {
  for (const AttentionSizes& sizes : kRelativeSizes) {
    const RelativeInputs in(sizes, 2, true);
    AttentionChunk chunk(sizes.heads, sizes.queries);
    AttentionState state(sizes.heads, sizes.queries);
    Buffer<float> out(sizes.queries * sizes.heads.padded_inner()),
        scratch(relative_attention_scratch(in.relative, sizes.keys));
    attend_relative_unnormalised(in.relative, in.grid(), in.keys(), chunk, scratch.data());
    state.absorb(chunk);
    std::vector<float> normalisers;
    for (std::size_t row = 0; row < state.sum.size(); ++row) {
      normalisers.push_back(static_cast<float>(state.log_normaliser(row)));
    }
    state.read(out.data(), sizes.heads.padded_inner());
    read_relative(in.relative, in.turns(), normalisers.data(), sizes.queries, out.data(), sizes.heads.padded_inner());
    expect_heads_near(sizes, out, in.expected(), 2e-5);
  }
}

TEST_P(RelativeAttentionTest, NothingSeenIsTheNullValue) {
  const AttentionSizes sizes{{2, 8}, 3, 1};
  const RelativeInputs in(sizes, 1, true);
  const AttentionState state(sizes.heads, sizes.queries);
  Buffer<float> out(sizes.queries * sizes.heads.padded_inner());
  const std::vector<float> nothing(6, -std::numeric_limits<float>::infinity());
  state.read(out.data(), sizes.heads.padded_inner());
  read_relative(in.relative, in.turns(), nothing.data(), 3, out.data(), sizes.heads.padded_inner());
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(out[r * sizes.heads.padded_inner() + padded(8) + i], in.null_value.values[8 + i]);
    }
  }
}

CMANP_ON_EVERY_TARGET(RelativeAttentionTest);

// A head's reach: what is beyond counts for nothing, and is not even looked at.
TEST_P(RelativeAttentionTest, KeysOutOfReachAreLeftOut) {
  const Heads heads{2, 8};
  constexpr std::size_t keys = 200, rows = 30;
  const std::vector<float> gamma{40.0f, 6.4f}, omega{1, 2, 3, 4, 5, 6, 7, 8};
  const plain::Matrix q = plain::random_matrix(rows, heads.inner(), 1),
                      k = plain::random_matrix(keys, heads.inner(), 2),
                      v = plain::random_matrix(keys, heads.padded_inner(), 3);
  std::vector<float> places(keys), query_places(rows);
  for (std::size_t i = 0; i < keys; ++i) places[i] = 0.1f * static_cast<float>(i);
  for (std::size_t i = 0; i < rows; ++i) query_places[i] = 5 + 0.1f * static_cast<float>(i);
  RelativeHeads relative = RelativeHeads::pack(heads, 4, 1, gamma.data(), omega.data(), nullptr, nullptr);
  std::vector<float> key_rows = k.values, values = v.values;
  Buffer<float> cos(rows * relative.turns()), sin(rows * relative.turns());
  Buffer<float> scratch(relative_attention_scratch(relative, keys));
  make_turns(relative, query_places.data(), rows, cos.data(), sin.data());
  const RelativeQueries queries{q.values.data(), heads.inner(), rows, query_places.data()};
  const RelativeKeys all{key_rows.data(), heads.inner(), values.data(), heads.padded_inner(), places.data(), keys};
  std::vector<float> full(rows * heads.padded_inner()), out(full.size());
  attend_relative(relative, queries, {cos.data(), sin.data()}, all, full.data(), heads.padded_inner(), scratch.data());
  relative.reach = Buffer<float>(2);
  relative.reach[0] = 1.0f;
  relative.reach[1] = 2.5f;
  for (std::size_t i = 0; i < keys; ++i) {
    if (i >= 25 && i <= 104) continue;  // nobody reaches the others
    std::fill_n(key_rows.data() + i * heads.inner(), heads.inner(), NAN);
    std::fill_n(values.data() + i * heads.padded_inner(), heads.padded_inner(), NAN);
  }
  attend_relative(relative, queries, {cos.data(), sin.data()}, all, out.data(), heads.padded_inner(), scratch.data());
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], full[i], 1e-6f) << i;

  // As a chunk of points that lie at the middle of a grid: latents that none of them reaches are not touched.
  AttentionChunk chunk(heads, keys), far(heads, keys);
  const std::size_t ld = GridQueryColumns::columns(keys);
  const Buffer<float> columns = transposed(k.values, keys, heads.inner(), ld);
  Buffer<float> grid(ld);
  places_by_axis(places.data(), keys, 1, grid.data(), ld);
  for (AttentionChunk* one : {&chunk, &far}) std::fill(one->weighted.begin(), one->weighted.end(), 77.0f);
  const GridQueryColumns latents{columns.data(), grid.data(), ld, keys};
  const RelativeKeys points{q.values.data(),      heads.inner(),       v.values.data(),
                            heads.padded_inner(), query_places.data(), rows};
  attend_relative_unnormalised(relative, latents, points, chunk, scratch.data());
  for (std::size_t h = 0; h < 2; ++h) {
    const auto [first, last] = chunk.windows[h];
    EXPECT_LE(first, h == 0 ? 41u : 26u);
    EXPECT_GE(last, h == 0 ? 89u : 104u);
    EXPECT_LE(last - first, h == 0 ? 51u : 81u);
    for (std::size_t i = 0; i < keys; ++i) {
      if (i >= first && i < last) continue;
      EXPECT_EQ(chunk.weighted[(h * keys + i) * padded(heads.dim)], 77.0f);
    }
  }
  const std::vector<float> away(rows, 100.0f);
  attend_relative_unnormalised(
      relative, latents, {q.values.data(), heads.inner(), v.values.data(), heads.padded_inner(), away.data(), rows},
      far, scratch.data());
  for (const AttentionChunk::Window& window : far.windows) EXPECT_EQ(window.first, window.last);
}

}  // namespace
}  // namespace cmanp::kernels
