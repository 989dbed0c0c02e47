// Processes that die, do not come, or are told nonsense: the others end with a message, and nothing is lost.
#include <gtest/gtest.h>

#include <csignal>

#include "several_processes.hpp"

namespace cmanp::training {
namespace {

using testing::Process;
using testing::ProcessResult;
using testing::SeveralProcesses;

TEST_F(SeveralProcesses, OneThatDiesEndsTheOthersAndTheRunGoesOn) {
  const std::vector<std::string> launched{"--steps",     "200", "--save-every",     "5", "--eval-every", "0",
                                          "--processes", "2",   "--resume-or-start"};
  ASSERT_EQ(run(train("unbroken", launched)).exit_code, 0);
  std::int64_t saved = 0;
  for (const int rank : {1, 0}) {
    Process launcher(train("killed", launched));
    await_step("killed", saved + 5);
    ::kill(find_rank(launcher, rank), SIGKILL);
    const ProcessResult result = launcher.wait();
    EXPECT_EQ(result.exit_code, 1) << result.err;
    expect_part(result.err, fmt::format("rank {} was killed by signal 9", rank));
    expect_part(result.err, fmt::format("rank {}: lost another process of the run", 1 - rank));
    saved = saved_step("killed");
    EXPECT_LT(saved, 200);
    if (rank == 1) expect_part(result.err, fmt::format("the run is saved at step {}", saved));  // nothing is lost
  }
  const ProcessResult last = run(train("killed", launched));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  expect_same_weights("unbroken", "killed");
}

TEST_F(SeveralProcesses, WithoutTheLauncherTheySaveAndLeave) {
  Process launcher(train("run", {"--steps", "1000000", "--save-every", "10", "--processes", "2"}));
  await_step("run", 10);
  launcher.kill(SIGKILL);
  const ProcessResult result = launcher.wait();  // its output ends when theirs does
  EXPECT_EQ(result.signal, SIGKILL);
  expect_part(result.err, fmt::format("stopped and saved at step {} of", saved_step("run")));
}

TEST_F(SeveralProcesses, WhatRank0RefusesAllLeave) {
  ASSERT_EQ(run(train("run")).exit_code, 0);
  const auto both = start_two("run", {});
  const ProcessResult first = both[0]->wait(), second = both[1]->wait();
  EXPECT_EQ(first.exit_code, 1);
  expect_part(first.err, "rank 0: ");
  expect_part(first.err, "holds a run already");
  EXPECT_EQ(second.exit_code, 1);
  expect_part(second.err, "rank 1: lost another process");
}

TEST_F(SeveralProcesses, BadEnvironmentsAndFlagsAreNamed) {
  const auto expect = [&](const std::vector<std::string>& environment, const std::vector<std::string>& more, int code,
                          const std::string& part) {
    const ProcessResult result = testing::run_process(train("bad", more), {.environment = environment});
    EXPECT_EQ(result.exit_code, code) << result.err;
    expect_part(result.err, part);
    EXPECT_TRUE(result.out.empty());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "bad"));
  };
  const std::uint16_t port = testing::free_port();
  expect({"RANK=0"}, {}, 1, "RANK is set, WORLD_SIZE is not");
  expect(environment(1, 2, port), {"--timeout", "1"}, 1, "rank 1: found nobody at MASTER_ADDR 127.0.0.1");
  expect(environment(0, 2, port), {"--processes", "3"}, 1, "--processes 3");
  expect({}, {"--processes", "5"}, 1, "batch 4 is less than one task for each of 5 processes");
  expect({}, {"--processes", "0"}, 2, "--processes");
}

}  // namespace
}  // namespace cmanp::training
