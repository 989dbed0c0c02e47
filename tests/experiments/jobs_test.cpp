#include <gtest/gtest.h>

#include <cmanp/error.hpp>

#include "experiments/jobs.hpp"
#include "experiments/small_plan.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

using experiments::Choice;
using experiments::Equal;
using experiments::Job;

experiments::Plan plan_of(nlohmann::ordered_json document) {
  return experiments::read_plan(write_plan(document, "jobs"));
}

std::vector<std::string> names(const std::vector<Job>& jobs) {
  std::vector<std::string> list;
  for (const Job& job : jobs) list.push_back(job.name);
  return list;
}

TEST(Jobs, ARowWithEverySeed) {
  const auto jobs = jobs_of(plan_of(small_plan()), {"hour", Equal::steps, {}, "out"});
  EXPECT_EQ(names(jobs), (experiments::Words{"small/one/0", "small/one/1", "small/two/0", "small/two/1"}));
  EXPECT_EQ(names(chosen(jobs, {"small/two"})), (experiments::Words{"small/two/0", "small/two/1"}));
  EXPECT_EQ(names(chosen(jobs, {"small/one/1"})), (experiments::Words{"small/one/1"}));
  try {
    chosen(jobs, {"smal/one"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "did you mean small/one?", error.what());
  }
}

TEST(Jobs, EqualTimeOrEqualSteps) {
  auto document = small_plan();
  document["commands"] = {"train {budget} --seed {seed}"};
  const auto plan = plan_of(document);
  EXPECT_EQ(jobs_of(plan, {"hour", Equal::steps, {}, "out"})[1].commands[0],
            (experiments::Words{"train", "--steps", "2", "--seed", "1"}));
  EXPECT_EQ(jobs_of(plan, {"hour", Equal::time, {}, "out"})[1].commands[0],
            (experiments::Words{"train", "--minutes", "1", "--seed", "1"}));
  EXPECT_THROW(jobs_of(plan, {"paper", Equal::time, {}, "out"}), Error);
}

// A row may have more seeds than its budget; all rows have their first before any has its second.
TEST(Jobs, SeedsOfARow) {
  auto document = small_plan();
  document["rows"][0]["seeds"] = {{"smoke", 3}};
  const auto jobs = chosen(jobs_of(plan_of(document), {"smoke", Equal::steps, {}, "out"}), {});
  EXPECT_EQ(names(jobs), (experiments::Words{"small/one/0", "small/two/0", "small/one/1", "small/one/2"}));
  document["rows"][0]["seeds"] = {{"day", 3}};
  EXPECT_THROW(plan_of(document), Error);
  document["rows"][0]["seeds"] = {{"smoke", 0}};
  EXPECT_THROW(plan_of(document), Error);
}

// What identifies a job's numbers does not change with the place of its data.
TEST(Jobs, DataAreNamedByTheUser) {
  auto document = small_plan();
  document["needs"] = {{"pictures", "a folder"}};
  document["commands"] = {"train --data {pictures}"};
  const auto plan = plan_of(document);
  const Job without = jobs_of(plan, {"smoke", Equal::steps, {}, "out"})[0];
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "needs --data pictures=…: a folder", without.cannot);
  const Job with = jobs_of(plan, {"smoke", Equal::steps, {{"pictures", "/data"}}, "out"})[0];
  EXPECT_TRUE(with.cannot.empty());
  EXPECT_EQ(with.commands[0], (experiments::Words{"train", "--data", "/data"}));
  EXPECT_EQ(identity_of(with, "1"), identity_of(without, "1"));
}

// One run, evaluated in several ways.
TEST(Jobs, ACommandForEachOfAList) {
  auto document = small_plan();
  document["values"] = {{"more", "{zest}"}, {"zest", "--last {mild}"}, {"mild", "--fast"}, {"block", "{blocks}"}};
  document["commands"] = {"train {budget} --out {run}",
                          {{"each", "block"}, {"command", "eval {run} {more} --block {block}"}}};
  document["budgets"]["smoke"]["values"] = {{"blocks", "1,all"}};
  for (const char* other : {"hour", "night", "paper"}) document["budgets"][other]["values"] = {{"blocks", "1"}};
  const Job job = jobs_of(plan_of(document), {"smoke", Equal::steps, {}, "out"})[0];
  ASSERT_EQ(job.commands.size(), 3U);
  EXPECT_EQ(job.commands[2], (experiments::Words{"eval", "run", "--last", "--fast", "--block", "all"}));
  EXPECT_EQ(job.origins[0].command, 0U);
  EXPECT_EQ(job.origins[1].command, 1U);
  EXPECT_EQ(job.origins[1].fields["block"], 1);
  EXPECT_EQ(job.origins[2].fields["block"], "all");
}

TEST(Jobs, ARunMayBeAnothers) {
  auto document = small_plan();
  document["commands"] = {"train {budget} --out {run}", "eval {run}"};
  document["rows"][0]["trained"] = "zoo/two";
  const auto folder = write_plan(document, "trained").parent_path();
  try {
    experiments::read_plans(folder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "small.json: row one: no plan has a run of zoo/two", error.what());
  }
  document["rows"][0].erase("trained");
  std::ofstream(folder / "zoo.json") << document.dump();
  std::vector<Job> jobs;
  for (const auto& plan : experiments::read_plans(folder)) {
    for (const Job& job : jobs_of(plan, {"smoke", Equal::steps, {}, "out"})) jobs.push_back(job);
  }
  const auto needed = chosen(jobs, {"small/one"});
  EXPECT_EQ(names(needed), (experiments::Words{"zoo/two/0", "small/one/0"}));
  EXPECT_EQ(needed[1].after, "zoo/two/0");
  ASSERT_EQ(needed[1].commands.size(), 1U);  // it is trained already
  EXPECT_EQ(needed[1].commands[0], (experiments::Words{"eval", "../../../zoo/two/0/run"}));
  EXPECT_EQ(needed[1].origins[0].command, 1U);
}

// Of what trains, a row that takes over another's run needs no values.
TEST(Jobs, WhatATakenRunWasTrainedWithIsNotAskedFor) {
  auto document = small_plan();
  document["commands"] = {"train {script} {budget} --out {run}", "eval {run}"};
  document["rows"][1] = {{"name", "two"}, {"trained", "small/one"}};
  const auto jobs = jobs_of(plan_of(document), {"smoke", Equal::steps, {}, "out"});
  EXPECT_EQ(jobs[1].commands, (std::vector<experiments::Words>{{"eval", "../../../small/one/0/run"}}));
}

TEST(Jobs, AValueMadeOfItselfIsRefused) {
  auto document = small_plan();
  document["rows"][0]["values"] = {{"script", "{other}"}, {"other", "{script}"}};
  const auto plan = plan_of(document);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "small.json: row one: the value other is made of itself",
                      error_message([&] {
                        jobs_of(plan, {"smoke", Equal::steps, {}, "out"});
                      }));
}

TEST(Jobs, ARowMayHaveAShareOfTheTime) {
  auto document = small_plan();
  document["commands"] = {"train {budget}"};
  document["rows"][0]["share"] = 0.25;
  const auto plan = plan_of(document);
  EXPECT_EQ(jobs_of(plan, {"hour", Equal::time, {}, "out"})[0].commands[0],
            (experiments::Words{"train", "--minutes", "0.25"}));
  EXPECT_EQ(jobs_of(plan, {"hour", Equal::steps, {}, "out"})[0].commands[0],
            (experiments::Words{"train", "--steps", "2"}));
}

TEST(Jobs, WhatIsLeftToDoIsToldBeforehand) {
  auto document = small_plan();
  document["commands"] = {"train {budget}"};
  document["rows"][0]["share"] = 0.25;
  const auto plan = plan_of(document);
  const auto out = fresh_folder("extent");
  const Choice choice{"hour", Equal::time, {}, out};  // two rows, two seeds, a minute
  EXPECT_EQ(to_text(extent_of(jobs_of(plan, {"hour", Equal::steps, {}, out}))), "4 jobs");
  std::vector<Job> jobs = jobs_of(plan, choice);
  EXPECT_DOUBLE_EQ(extent_of(jobs).training_minutes, 2.5);
  jobs[0].cannot = "needs --data";
  std::filesystem::create_directories(jobs[1].folder);
  std::ofstream(jobs[1].folder / "result.json") << "{}";
  const experiments::Extent extent = extent_of(jobs);
  EXPECT_EQ(extent.jobs, 2U);
  EXPECT_DOUBLE_EQ(extent.training_minutes, 2);
  EXPECT_EQ(to_text(extent), "2 jobs, 2 core-minutes of training; 1 were done before; 1 cannot be run here");
  EXPECT_EQ(to_text(experiments::Extent{.jobs = 1, .training_minutes = 150}), "1 job, 2.5 core-hours of training");
}

}  // namespace
}  // namespace cmanp::testing
