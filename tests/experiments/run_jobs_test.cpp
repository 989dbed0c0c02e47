#include <gtest/gtest.h>

#include <chrono>
#include <cmanp/error.hpp>
#include <csignal>
#include <set>

#include "experiments/results.hpp"
#include "experiments/run_jobs.hpp"
#include "experiments/small_plan.hpp"
#include "files/file_lock.hpp"

namespace cmanp::testing {
namespace {

namespace fs = std::filesystem;
using experiments::Job;
using experiments::Outcome;
using experiments::RunOptions;

class RunJobs : public ::testing::Test {
 protected:
  Job job(const std::string& row, const std::vector<std::string>& scripts) const {
    Job made{"small/" + row + "/0", "small", row, 0, out_ / row, {}, {}, ""};
    for (const std::string& script : scripts) made.commands.push_back({"-c", script});
    made.recorded = made.commands;
    return made;
  }

  static RunOptions shell(std::size_t at_once = 2) {
    return {.program = "/bin/sh", .version = "1", .at_once = at_once};
  }

  fs::path out_ = fresh_folder("run");
};

TEST_F(RunJobs, WhatIsDoneIsNotDoneAgain) {
  const Job counted = job("one", {"echo x >> count; echo 'words'; echo '{\"step\": 3}'", "echo '{\"score\": 2.5}'"});
  std::set<std::string> seen;
  const experiments::RunCalls calls{.waited = [&](const std::vector<const Job*>& at_work) {
    for (const Job* one : at_work) seen.insert(one->name);
  }};
  EXPECT_EQ(experiments::run_jobs({counted}, shell(), calls).finished, 1U);
  EXPECT_EQ(seen, std::set<std::string>{counted.name});
  const Outcome again = experiments::run_jobs({counted}, shell());
  EXPECT_EQ(again.finished, 0U);
  EXPECT_EQ(again.before, 1U);
  EXPECT_EQ(fs::file_size(counted.folder / "count"), 2U);
  const auto result = experiments::result_of(counted.folder);
  ASSERT_TRUE(result);
  EXPECT_EQ(field_anywhere(*result, "step"), 3);
  EXPECT_EQ(result->printed.back().front()["score"], 2.5);
}

TEST_F(RunJobs, OneThatFailsNamesItsLogAndTheOthersGoOn) {
  const Outcome outcome = run_jobs(
      {job("bad", {"echo sorry >&2; exit 3"}), job("silent", {"true"}), job("good", {"echo '{\"score\": 1}'"})},
      shell(1));
  EXPECT_EQ(outcome.finished, 1U);
  ASSERT_EQ(outcome.failed.size(), 2U);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "ended with exit code 3, after 0 s of the processor and with ",
                      outcome.failed[0]);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, " MB in memory at most; see " + (out_ / "bad" / "log").string(),
                      outcome.failed[0]);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "printed no result", outcome.failed[1]);
  EXPECT_FALSE(experiments::is_finished(out_ / "bad"));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, " MB in memory at most; see log", *experiments::failure_of(out_ / "bad"));
  EXPECT_EQ(*experiments::failure_of(out_ / "silent"), "1.out: the last command printed no result");
  EXPECT_FALSE(experiments::failure_of(out_ / "good"));
}

// The last line is mostly why. Of other attempts it is not; where data lie is nobody's business.
TEST_F(RunJobs, OneThatFailsSaysItsLastLine) {
  const std::string script =
      "if [ -e tried ]; then exit 4; fi; touch tried; echo first >&2; echo \"no pictures in $0\" >&2; exit 1";
  Job failing = job("last", {script});
  failing.commands[0].push_back("/secret/faces");
  failing.recorded[0].push_back("{faces}");
  const std::string failed = experiments::run_jobs({failing}, shell()).failed.at(0);
  EXPECT_TRUE(failed.ends_with("/log, which ends with: no pictures in /secret/faces")) << failed;
  EXPECT_TRUE(experiments::failure_of(failing.folder)->ends_with("see log, which ends with: no pictures in {faces}"));
  EXPECT_TRUE(experiments::run_jobs({failing}, shell()).failed.at(0).ends_with("/log"));
}

// What failed, for want of memory say, may do better another day; then nothing is said of it any more.
TEST_F(RunJobs, OneThatFailedMayBeTriedAgain) {
  const Job job = this->job("once", {"if [ -e tried ]; then echo '{\"score\": 1}'; exit; fi; touch tried; kill -9 $$"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "was ended by signal 9 (Killed), after 0 s",
                      experiments::run_jobs({job}, shell()).failed.at(0));
  EXPECT_TRUE(experiments::failure_of(job.folder));
  EXPECT_EQ(experiments::run_jobs({job}, shell()).finished, 1U);
  EXPECT_FALSE(experiments::failure_of(job.folder));
  EXPECT_GT(experiments::result_of(job.folder)->megabytes, 0);
}

TEST_F(RunJobs, NothingIsMixed) {
  experiments::run_jobs({job("one", {"echo '{\"score\": 1}'"})}, shell());
  EXPECT_THROW(experiments::run_jobs({job("one", {"echo '{\"score\": 2}'"})}, shell()), Error);
  RunOptions newer = shell();
  newer.version = "2";
  try {
    experiments::run_jobs({job("one", {"echo '{\"score\": 1}'"})}, newer);
    FAIL();
  } catch (const Error& error) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "another version", error.what());
  }
}

// The signal is passed on, the job may save, and the next time it goes on.
TEST_F(RunJobs, StoppedItGoesOnLater) {
  const Job slow = job("slow", {"if [ -e saved ]; then echo '{\"score\": 1}'; exit; fi\n"
                                "trap 'touch saved; exit 143' TERM; touch started; while :; do sleep 0.05; done"});
  RunOptions options = shell();
  options.stop_signal = [&] { return fs::exists(slow.folder / "started") ? SIGTERM : 0; };
  const Outcome outcome =
      experiments::run_jobs({slow, job("later", {"echo '{\"score\": 1}'"}), job("last", {"echo '{\"score\": 1}'"})},
                            {options.program, "1", 1, options.stop_signal});
  EXPECT_EQ(outcome.stopped, 3U);
  EXPECT_TRUE(outcome.failed.empty());
  EXPECT_EQ(experiments::run_jobs({slow}, shell()).finished, 1U);
}

TEST_F(RunJobs, OneThatNeedsAnothersRunWaitsForIt) {
  const Job first = job("first", {"sleep 0.2; echo x > run; echo '{\"score\": 1}'"});
  Job second = job("second", {"cat ../first/run && echo '{\"score\": 2}'"});
  second.after = first.name;
  second.after_folder = first.folder;
  const Outcome alone = experiments::run_jobs({second}, shell());
  ASSERT_EQ(alone.left_out.size(), 1U);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "needs the run of small/first/0, which is not done", alone.left_out[0]);
  EXPECT_EQ(experiments::run_jobs({second, first}, shell()).finished, 2U);
}

TEST_F(RunJobs, APictureIsAResult) {
  Job drawing = job("drawing", {"true"});
  drawing.pictures = {"a.png"};
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "a.png: was not made",
                      experiments::run_jobs({drawing}, shell()).failed.at(0));
  fs::remove_all(drawing.folder);
  drawing.commands = drawing.recorded = {{"-c", "echo x > a.png"}};
  EXPECT_EQ(experiments::run_jobs({drawing}, shell()).finished, 1U);
}

TEST_F(RunJobs, AnotherProcessAtItIsLeftAlone) {
  const Job busy = job("busy", {"echo '{\"score\": 1}'"});
  fs::create_directories(busy.folder);
  const files::FileLock lock(busy.folder / "lock", files::FileLock::AtTheEnd::keep_lock_file, [](pid_t) {});
  const Outcome outcome = experiments::run_jobs({busy}, shell());
  EXPECT_EQ(outcome.finished, 0U);
  ASSERT_EQ(outcome.left_out.size(), 1U);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "is at it", outcome.left_out[0]);
}

}  // namespace
}  // namespace cmanp::testing
