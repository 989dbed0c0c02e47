#include "base/suggest.hpp"

#include <gtest/gtest.h>

namespace cmanp::base {
namespace {

TEST(Suggest, NamesTheNearest) {
  EXPECT_EQ(nearest("tarin", {"eval", "train", "trace"}), "train");
  EXPECT_EQ(nearest("--sede", {"--steps", "--seed"}), "--seed");
}

TEST(Suggest, NamesNothingThatIsFar) {
  EXPECT_EQ(nearest("nosuch", {"train", "eval"}), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace cmanp::base
