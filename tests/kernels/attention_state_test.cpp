#include "kernels/attention_state.hpp"

#include <cmath>

#include "kernels/attention_fixture.hpp"
#include "kernels/every_target.hpp"

namespace cmanp::kernels {
namespace {

class AttentionStateTest : public EveryTarget {};

// Absorbs keys [begin, end) of the inputs as one chunk.
void absorb_part(const AttentionInputs& inputs, std::size_t begin, std::size_t end, AttentionState& state) {
  const AttentionSizes& sizes = inputs.sizes;
  const Heads& heads = sizes.heads;
  const std::size_t count = end - begin;
  Buffer<float> transposed(keys_size(heads, count));
  transpose_to_panels(inputs.k.data() + begin * heads.inner(), heads.inner(), count, heads.inner(), transposed.data());
  AttentionChunk chunk(heads, sizes.queries);
  Buffer<float> scratch(attention_scratch(count));
  attend_unnormalised(heads, inputs.q.data(), heads.inner(), sizes.queries,
                      {transposed.data(), inputs.values.data() + begin * heads.padded_inner(), count}, chunk.max.data(),
                      chunk.sum.data(), chunk.weighted.data(), scratch.data());
  state.absorb(chunk);
}

Buffer<float> read(const AttentionState& state) {
  Buffer<float> out(state.queries * state.heads.padded_inner());
  state.read(out.data(), state.heads.padded_inner());
  return out;
}

TEST_P(AttentionStateTest, ChunksOfAnySizeGiveTheWhole) {
  for (const AttentionSizes& sizes : kAttentionSizes) {
    const AttentionInputs inputs(sizes, 1);
    for (const std::size_t chunk : {1u, 3u, 16u, 1000u}) {
      AttentionState state(sizes.heads, sizes.queries);
      for (std::size_t begin = 0; begin < sizes.keys; begin += chunk) {
        absorb_part(inputs, begin, std::min(sizes.keys, begin + chunk), state);
      }
      expect_heads_near(sizes, read(state), inputs.expected(), kAttentionTolerance);
    }
  }
}

TEST_P(AttentionStateTest, MergeOfPartsGivesTheWholeInAnyOrder) {
  const AttentionSizes sizes{{3, 5}, 7, 40};
  const AttentionInputs inputs(sizes, 2, 3.0f);
  std::vector<AttentionState> parts;
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 20}, {20, 40}}) {
    parts.emplace_back(sizes.heads, sizes.queries);
    absorb_part(inputs, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), parts.back());
  }
  for (const auto& order : {std::array{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}) {
    AttentionState whole(sizes.heads, sizes.queries);
    for (const int part : order) whole.merge(parts[static_cast<std::size_t>(part)]);
    expect_heads_near(sizes, read(whole), inputs.expected(), 3e-5);
  }
}

TEST_P(AttentionStateTest, TheEmptyStateIsNeutral) {
  const AttentionSizes sizes{{2, 3}, 4, 9};
  const AttentionInputs inputs(sizes, 3);
  AttentionState empty(sizes.heads, sizes.queries), state(sizes.heads, sizes.queries);
  for (const float value : read(empty)) ASSERT_EQ(value, 0.0f);
  absorb_part(inputs, 0, 9, state);
  const Buffer<float> before = read(state);
  state.merge(empty);
  empty.merge(state);
  const Buffer<float> left = read(state), right = read(empty);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(left[i], before[i]);
    ASSERT_EQ(right[i], before[i]);
  }
  AttentionState both(sizes.heads, sizes.queries);
  both.merge(AttentionState(sizes.heads, sizes.queries));
  for (const float value : read(both)) ASSERT_EQ(value, 0.0f);
}

// Scores far below and far above what came before: neither may overflow, and the larger must win.
TEST_P(AttentionStateTest, ScoresFarApart) {
  const AttentionSizes sizes{{1, 1}, 1, 2};
  AttentionInputs inputs(sizes, 4);
  inputs.q(0, 0) = 1.0f;
  for (const bool rising : {true, false}) {
    Buffer<float> keys(keys_size(sizes.heads, 2));
    AttentionState state(sizes.heads, 1);
    for (std::size_t j = 0; j < 2; ++j) {
      AttentionChunk chunk(sizes.heads, 1);
      chunk.max[0] = (j == 0) == rising ? -500.0f : 500.0f;
      chunk.sum[0] = 1.0f;
      chunk.weighted[0] = (j == 0) == rising ? 1.0f : 2.0f;
      state.absorb(chunk);
    }
    ASSERT_EQ(read(state)[0], 2.0f);
  }
}

// What is aged weighs less than what comes after, and nothing is lost to rounding over many small steps.
TEST_P(AttentionStateTest, AgeingIsForgetting) {
  const Heads heads{1, 1};
  AttentionChunk chunk(heads, 1);
  chunk.max[0] = 3.3f;
  chunk.sum[0] = 1.0f;
  chunk.weighted[0] = 1.0f;
  AttentionState state(heads, 1);
  const double none = 1.0, step = 1e-4;
  state.age(&none);  // the empty state has nothing to forget
  state.absorb(chunk);
  for (int i = 0; i < 10000; ++i) state.age(&step);
  EXPECT_NEAR(state.log_normaliser(0), static_cast<double>(3.3f) - 1, 1e-9);
  chunk.weighted[0] = 3.0f;
  state.absorb(chunk);
  const double old = std::exp(-1.0);
  EXPECT_NEAR(read(state)[0], (old * 1 + 3) / (old + 1), 1e-6);
  const double all = 1e300;
  state.age(&all);
  state.absorb(chunk);
  EXPECT_EQ(read(state)[0], 3.0f);
}

TEST_P(AttentionStateTest, BytesAreWhatIsAllocated) {
  const Heads heads{4, 10};
  EXPECT_EQ(AttentionState(heads, 7).bytes(), AttentionState::bytes(heads, 7));
  EXPECT_EQ(AttentionChunk(heads, 7).bytes(), AttentionChunk::bytes(heads, 7));
}

CMANP_ON_EVERY_TARGET(AttentionStateTest);

}  // namespace
}  // namespace cmanp::kernels
