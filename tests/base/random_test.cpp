#include "base/random.hpp"

#include <gtest/gtest.h>

#include "base/normal_source.hpp"

namespace cmanp::base {
namespace {

// Models, masks, splits and samples of earlier versions are drawn by these: they stay as they are.
TEST(Random, GivesTheSameNumbersForEver) {
  Random random(5489);
  EXPECT_EQ(random.bits(), 14514284786278117030U);  // of the standard's mt19937_64
  EXPECT_DOUBLE_EQ(random.uniform(), 0.2504803406880286);
  EXPECT_EQ(random.below(1000), 710U);
  EXPECT_DOUBLE_EQ(random.normal(), 2.4035179930522927);
  EXPECT_DOUBLE_EQ(NormalSource(17, 3).next(), 0.85276609633543676);
  EXPECT_DOUBLE_EQ(NormalSource(17, 3).uniform(), 0.64115486126700005);
}

TEST(Random, StreamsOfASeedDiffer) {
  EXPECT_NE(Random(1, 0).bits(), Random(1, 1).bits());
  EXPECT_NE(Random(1, 0).bits(), Random(2, 0).bits());
}

TEST(Random, StaysBelow) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(3), 3U);
}

TEST(NormalSource, UsesBothOfAPair) {
  Random random(3, 4);
  NormalSource normal(3, 4);
  const Random::Pair pair = random.normal_pair();
  EXPECT_EQ(normal.next(), pair.first);
  EXPECT_EQ(normal.next(), pair.second);
  EXPECT_EQ(normal.next(), random.normal());
}

}  // namespace
}  // namespace cmanp::base
