#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace cmanp::base {
namespace {

TEST(Parallel, EveryPieceIsDoneOnce) {
  for (const std::size_t threads : {0, 1, 2, 7}) {
    std::vector<int> done(1000);
    for_each_index(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(done.size(), 1)) << threads;
  }
}

TEST(Parallel, NothingToDo) {
  for_each_index(0, 4, [](std::size_t) { FAIL(); });
}

TEST(Parallel, AFailureEndsItAndIsPassedOn) {
  for (const std::size_t threads : {1, 4}) {
    std::atomic<std::size_t> done = 0;
    const auto work = [&](std::size_t i) {
      if (i == 5) throw std::runtime_error("the sixth");
      ++done;
    };
    EXPECT_THROW(for_each_index(1'000'000, threads, work), std::runtime_error);
    EXPECT_LT(done, 1'000'000U) << threads;
  }
}

TEST(Parallel, ThisMachineHasAThread) { EXPECT_GE(machine_threads(), 1U); }

}  // namespace
}  // namespace cmanp::base
