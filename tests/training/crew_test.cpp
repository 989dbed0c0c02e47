// The threads of fused nodes: who does what, and what becomes of failures.
#include "training/fused/crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace cmanp::testing {
namespace {

using training::fused::Crew;

// The process's crew with a number of threads of its own; as it was afterwards.
class CrewTest : public ::testing::Test {
 protected:
  CrewTest() { crew_.set_threads(3); }
  ~CrewTest() override { crew_.set_threads(before_); }

  Crew& crew_ = Crew::of_process();

 private:
  std::size_t before_ = crew_.threads();
};

TEST_F(CrewTest, EveryPartIsDoneOnce) {
  for (const std::size_t parts : {1, 2, 3}) {
    std::vector<int> done(3);
    for (int round = 0; round < 100; ++round) crew_.run(parts, [&](std::size_t part) { ++done[part]; });
    std::vector<int> expected(3);
    std::fill_n(expected.begin(), parts, 100);
    EXPECT_EQ(done, expected) << parts;
  }
}

TEST_F(CrewTest, PartsAreDoneByThreadsOfTheirOwn) {
  std::vector<std::thread::id> who(3);
  crew_.run(3, [&](std::size_t part) { who[part] = std::this_thread::get_id(); });
  EXPECT_EQ(std::set(who.begin(), who.end()).size(), 3U);
}

TEST_F(CrewTest, AFailureIsPassedOnAndTheNextWorkIsDone) {
  for (const std::size_t bad : {0, 2}) {
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t part) {
      if (part == bad) throw std::runtime_error("this part");
      ++done;
    };
    EXPECT_THROW(crew_.run(3, work), std::runtime_error);
    EXPECT_EQ(done, 2) << bad;
  }
  std::atomic<int> done = 0;
  crew_.run(3, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 3);
}

TEST_F(CrewTest, WorkWithinWorkIsDoneByWhoeverHasIt) {
  std::atomic<int> done = 0, elsewhere = 0;
  crew_.run(3, [&](std::size_t) {
    const auto here = std::this_thread::get_id();
    crew_.run(3, [&](std::size_t) {
      ++done;
      if (std::this_thread::get_id() != here) ++elsewhere;
    });
  });
  EXPECT_EQ(done, 9);
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace cmanp::testing
