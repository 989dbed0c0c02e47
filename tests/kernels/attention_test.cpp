#include "kernels/attention.hpp"

#include "kernels/attention_fixture.hpp"
#include "kernels/every_target.hpp"

namespace cmanp::kernels {
namespace {

class AttentionTest : public EveryTarget {};

TEST_P(AttentionTest, EqualsPlainAttention) {
  for (const AttentionSizes& sizes : kAttentionSizes) {
    const AttentionInputs inputs(sizes, 1);
    Buffer<float> out(sizes.queries * sizes.heads.padded_inner());
    Buffer<float> scratch(attention_scratch(sizes.keys));
    attend(sizes.heads, inputs.q.data(), sizes.heads.inner(), sizes.queries, inputs.keys(), out.data(),
           sizes.heads.padded_inner(), scratch.data());
    expect_heads_near(sizes, out, inputs.expected(), kAttentionTolerance);
  }
}

TEST_P(AttentionTest, NoKeysGiveZeros) {
  const Heads heads{2, 3};
  const auto q = plain::random_matrix(4, heads.inner(), 1);
  Buffer<float> out(4 * heads.padded_inner());
  std::fill(out.begin(), out.end(), 7.0f);
  attend(heads, q.data(), heads.inner(), 4, {}, out.data(), heads.padded_inner(), nullptr);
  for (const float value : out) ASSERT_EQ(value, 0.0f);
}

// Scores of several hundred overflow exp by far; the largest is taken off first.
TEST_P(AttentionTest, LargeScoresAreSafe) {
  const AttentionSizes sizes{{2, 8}, 7, 33};
  const AttentionInputs inputs(sizes, 2, 12.0f);
  Buffer<float> out(sizes.queries * sizes.heads.padded_inner());
  Buffer<float> scratch(attention_scratch(sizes.keys));
  attend(sizes.heads, inputs.q.data(), sizes.heads.inner(), sizes.queries, inputs.keys(), out.data(),
         sizes.heads.padded_inner(), scratch.data());
  // Scores of order 1000 carry a float rounding of 1e-4, which exp passes on as a relative error.
  expect_heads_near(sizes, out, inputs.expected(), 5e-3);
}

CMANP_ON_EVERY_TARGET(AttentionTest);

}  // namespace
}  // namespace cmanp::kernels
