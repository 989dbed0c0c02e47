#include "base/ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace cmanp::base {
namespace {

TEST(Ahead, GivesEverythingInOrder) {
  Ahead<std::string> numbers([](std::uint64_t i) { return std::to_string(i); }, 7, 3);
  for (std::uint64_t i = 7; i < 500; ++i) ASSERT_EQ(numbers.next(), std::to_string(i));
}

TEST(Ahead, MakesNoMoreThanItMay) {
  std::atomic<std::uint64_t> made = 0;
  Ahead<std::unique_ptr<int>> things([&](std::uint64_t) { return ++made, std::make_unique<int>(1); }, 0, 2);
  for (int taken = 1; taken <= 100; ++taken) {
    things.next();
    // What was taken, two that are ready, and one that waits for its place.
    ASSERT_LE(made, static_cast<std::uint64_t>(taken) + 3);
  }
}

TEST(Ahead, GivesWhatWasMadeBeforeAFailureAndThenTheFailure) {
  Ahead<int> things([](std::uint64_t i) { return i == 2 ? throw std::runtime_error("no third") : static_cast<int>(i); },
                    0, 8);
  EXPECT_EQ(things.next(), 0);
  EXPECT_EQ(things.next(), 1);
  EXPECT_THROW(things.next(), std::runtime_error);
  EXPECT_THROW(things.next(), std::runtime_error);
}

TEST(Ahead, EndsWhileFull) {
  for (int i = 0; i < 50; ++i) {
    Ahead<int> things([](std::uint64_t n) { return static_cast<int>(n); }, 0, 1);
    if (i % 2 == 0) things.next();
  }
}

}  // namespace
}  // namespace cmanp::base
