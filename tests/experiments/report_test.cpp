#include "experiments/report.hpp"

#include <gtest/gtest.h>

#include <cmanp/error.hpp>

#include "experiments/run_jobs.hpp"
#include "experiments/small_plan.hpp"

namespace cmanp::testing {
namespace {

using experiments::Choice;
using experiments::Equal;

TEST(Report, MeansOverSeedsBesideThePapers) {
  auto document = small_plan();
  document["title"] = "Better & <faster>";
  document["commands"] = {"echo.sh {seed}"};
  const auto plan = experiments::read_plan(write_plan(document, "report"));
  const auto out = fresh_folder("report_out");
  const auto script = out / "echo.sh";
  std::ofstream(script)
      << "echo '{\"kind\": \"b\", \"score\": 9}'\necho '{\"kind\": \"a\", \"score\": '$1', \"step\": 7}'\n";
  const Choice choice{"hour", Equal::steps, {}, out};
  auto jobs = chosen(jobs_of(plan, choice), {"small/one"});
  for (auto& job : jobs) job.commands[0][0] = script.string();
  ASSERT_EQ(experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1", .at_once = 2}).finished, 2U);
  const auto report = experiments::make_report({plan}, choice, "1");
  ASSERT_EQ(report.items.size(), 1U);
  const experiments::Cell& cell = report.items[0].rows[0].cells[0];
  EXPECT_EQ(cell.seeds, 2U);
  EXPECT_DOUBLE_EQ(cell.mean, 0.5);
  EXPECT_NEAR(*cell.deviation, 0.7071, 1e-4);
  const std::string text = as_markdown(report);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| one | 1.50 ± 0.10 | 0.50 ± 0.71 (2) | -1.00 | 7 |", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "not run yet", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "2 of 4 jobs are done", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<h2>Better &amp; &lt;faster&gt;</h2>", as_html(report));
}

TEST(Report, OfNothingIsEmpty) {
  const auto plan = experiments::read_plan(write_plan(small_plan(), "nothing"));
  EXPECT_TRUE(
      experiments::make_report({plan}, {"smoke", Equal::steps, {}, fresh_folder("nothing_out")}, "1").items.empty());
}

}  // namespace
}  // namespace cmanp::testing
