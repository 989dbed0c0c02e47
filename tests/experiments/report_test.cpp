#include "experiments/pages.hpp"

#include <gtest/gtest.h>

#include <cmanp/error.hpp>

#include "experiments/exports.hpp"
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
  const auto report = experiments::make_report({plan}, {choice}, {.pictures = out, .version = "1"});
  ASSERT_EQ(report.items.size(), 1U);
  const experiments::Cell& cell = report.items[0].rows[0].cells[0];
  EXPECT_EQ(cell.seeds.size(), 2U);
  EXPECT_DOUBLE_EQ(cell.mean, 0.5);
  EXPECT_NEAR(*cell.deviation, 0.7071, 1e-4);
  const std::string text = as_markdown(report, out);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| one | 1.50 ± 0.10 | 0.50 ± 0.71 (2) | -1.00 | 7 |", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "not run", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "2 of 4 jobs are done", text);
  const std::string html = as_html(report);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<h2 id=\"small\">Better &amp; &lt;faster&gt;</h2>", html);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<th class=\"group\" colspan=\"3\">score</th>", html);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<tr><th>the paper</th><th>here</th><th>difference</th></tr>", html);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<td>one</td><td>1.50 ± 0.10</td><td>0.50 ± 0.71 (2)</td><td>-1.00</td>",
                      html);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<td class=\"words\">not run", html);
}

// Why there is no number, for those that did not fit into memory say; how much others took has a column.
TEST(Report, WhatFailedSaysHow) {
  auto document = small_plan();
  document["commands"] = {"echo.sh"};
  const auto plan = experiments::read_plan(write_plan(document, "failing"));
  const auto out = fresh_folder("failing_out");
  std::ofstream(out / "echo.sh")
      << "case $PWD in */one/*) kill -9 $$ ;; esac; echo '{\"kind\": \"a\", \"score\": 2}'\n";
  const Choice choice{"smoke", Equal::steps, {}, out};
  auto jobs = jobs_of(plan, choice);
  for (auto& job : jobs) job.commands[0][0] = (out / "echo.sh").string();
  ASSERT_EQ(experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1"}).failed.size(), 1U);
  const std::string text =
      as_markdown(experiments::make_report({plan}, {choice}, {.pictures = out, .version = "1"}), out);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "was ended by signal 9 (Killed), after 0 s of the processor", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, " MB in memory at most; see log |", text);  // not where that lies
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| MB at most |", text);
}

// The paper's 1.50 is of another unit than the 0.50 here.
TEST(Report, NoDifferenceFromNumbersOfAnotherUnit) {
  auto document = small_plan();
  document["commands"] = {"echo.sh"};
  document["columns"][0]["other_unit"] = true;
  const auto plan = experiments::read_plan(write_plan(document, "unit"));
  const auto out = fresh_folder("unit_out");
  std::ofstream(out / "echo.sh") << "echo '{\"kind\": \"a\", \"score\": 0.5}'\n";
  const Choice choice{"smoke", Equal::steps, {}, out};
  auto jobs = chosen(jobs_of(plan, choice), {"small/one"});
  for (auto& job : jobs) job.commands[0][0] = (out / "echo.sh").string();
  ASSERT_EQ(experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1"}).finished, 1U);
  const auto report = experiments::make_report({plan}, {choice}, {.pictures = out, .version = "1"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| one | 1.50 ± 0.10 | 0.50 |", as_markdown(report, out));
  EXPECT_PRED_FORMAT2(::testing::IsNotSubstring, "difference", as_markdown(report, out));
}

// What commands print beside each result is a row of its own, once something is there.
TEST(Report, ALimitIsARow) {
  auto document = small_plan();
  document["commands"] = {"echo.sh"};
  document["limits"] = {{{"title", "the limit"}, {"field", "best"}}, {{"title", "no limit"}, {"field", "none"}}};
  const auto plan = experiments::read_plan(write_plan(document, "limits"));
  const auto out = fresh_folder("limits_out");
  const auto script = out / "echo.sh";
  std::ofstream(script)
      << "echo '{\"kind\": \"b\", \"best\": 9}'; echo '{\"kind\": \"a\", \"score\": 2, \"best\": 3}'\n";
  const Choice choice{"smoke", Equal::steps, {}, out};
  const experiments::ReportOptions options{.pictures = out, .all_items = true, .version = "1"};
  EXPECT_EQ(experiments::make_report({plan}, {choice}, options).items[0].rows.size(), 2U);
  auto jobs = jobs_of(plan, choice);
  for (auto& job : jobs) job.commands[0][0] = script.string();
  ASSERT_EQ(experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1"}).finished, 2U);
  const auto report = experiments::make_report({plan}, {choice}, options);
  ASSERT_EQ(report.items[0].rows.size(), 3U);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| the limit |  | 3.00 |", as_markdown(report, out));
}

// From the folder that has most of it; a claim's verdict, a compact table and a job's own picture are on the page.
TEST(Report, SeveralFoldersOnOnePage) {
  auto document = small_plan();
  document["compact"] = true;
  document["commands"] = {"echo.sh"};
  document["claims"] = {
      {{"says", "One is below 3"}, {"row", "one"}, {"column", "score"}, {"below", 3}},
      {{"says", "One is below two"}, {"row", "one"}, {"column", "score"}, {"below", {{"row", "two"}}}}};
  document["pictures"] = {{{"file", "p.png"}, {"title", "A picture"}}};
  const auto plan = experiments::read_plan(write_plan(document, "pages"));
  const auto out = fresh_folder("pages_out"), empty = fresh_folder("pages_empty"), page = fresh_folder("pages_page");
  const auto script = out / "echo.sh";
  std::ofstream(script) << "echo drawn > p.png; echo '{\"kind\": \"a\", \"score\": 2}'\n";
  const Choice choice{"smoke", Equal::steps, {}, out};
  auto jobs = chosen(jobs_of(plan, choice), {"small/one"});
  for (auto& job : jobs) job.commands[0][0] = script.string();
  ASSERT_EQ(experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1"}).finished, 1U);
  const auto report = experiments::make_report({plan}, {{"night", Equal::steps, {}, empty}, choice},
                                               {.pictures = page / "results", .all_items = true, .version = "1"});
  const std::string text = as_markdown(report, page);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| one | 2.00 (1.5) |", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "1 of 2 jobs are done. Budget `smoke`", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "- One is below 3: **held** (2 < 3)", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "- One is below two: **not known yet**", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "![one: A picture](results/small-one-p.png)", text);
  EXPECT_TRUE(std::filesystem::exists(page / "results" / "small-one-p.png"));
  std::filesystem::remove(jobs[0].folder / "p.png");  // as of pictures that nobody may pass on
  const auto without = experiments::make_report({plan}, {choice}, {.pictures = page / "results", .version = "1"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "Its pictures (1) are not shown here: the command below makes them.",
                      as_markdown(without, page));
}

// The data that jobs had are named; a plan that has changed since leaves their numbers out, and says so.
TEST(Report, NumbersOfAnotherPlanAreLeftOut) {
  auto document = small_plan();
  document["commands"] = {"echo.sh {faces}"};
  document["needs"] = {{"faces", "a folder of pictures"}};
  const auto plan = experiments::read_plan(write_plan(document, "changed_before"));
  const auto out = fresh_folder("changed_out");
  const auto script = out / "echo.sh";
  std::ofstream(script) << "echo '{\"kind\": \"a\", \"score\": 2}'\n";
  const Choice choice{"smoke", Equal::steps, {{"faces", (out / "lfw").string() + "/"}}, out};
  auto jobs = chosen(jobs_of(plan, choice), {"small/one"});
  for (auto& job : jobs) job.commands[0][0] = script.string();
  ASSERT_EQ(experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1"}).finished, 1U);
  const experiments::ReportOptions options{.pictures = out, .all_items = true, .version = "1"};
  const std::string text = as_markdown(experiments::make_report({plan}, {choice}, options), out);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "1 of 2 jobs are done", text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "data: faces = lfw.", text);
  document["commands"] = {"echo.sh {faces} --other"};
  const auto changed = experiments::read_plan(write_plan(document, "changed_after"));
  const std::string after = as_markdown(experiments::make_report({changed}, {choice}, options), out);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "0 of 2 jobs are done", after);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "1 more were made by other commands than the plan has now", after);
}

TEST(Report, OfNothingIsEmpty) {
  const auto plan = experiments::read_plan(write_plan(small_plan(), "nothing"));
  const auto out = fresh_folder("nothing_out");
  const std::vector<Choice> folders{{"smoke", Equal::steps, {}, out}};
  EXPECT_TRUE(experiments::make_report({plan}, folders, {.pictures = out, .version = "1"}).items.empty());
  const auto all = experiments::make_report({plan}, folders, {.pictures = out, .all_items = true, .version = "1"});
  ASSERT_EQ(all.items.size(), 1U);
  const std::string text = as_markdown(all, out);
  EXPECT_PRED_FORMAT2(
      ::testing::IsSubstring,
      "0 of 2 jobs are done. Budget `smoke`, equal steps for all rows. Budget `paper` has 100 steps a row. "
      "All rows: not run.",
      text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| method | score: the paper |\n|---|---|\n| one | 1.50 ± 0.10 |\n",
                      text);
}

// A page of several items begins with a line for each, which leads to it.
TEST(Report, BeginsWithAnOverview) {
  auto first = small_plan(), second = small_plan();
  first["title"] = "One: the size, b_Q";
  first["claims"] = {{{"says", "One is below 3"}, {"row", "one"}, {"column", "score"}, {"below", 3}}};
  second["title"] = "Two";
  const std::vector<experiments::Plan> plans{experiments::read_plan(write_plan(first, "overview_one")),
                                             experiments::read_plan(write_plan(second, "overview_two"))};
  const auto out = fresh_folder("overview_out");
  const auto report = experiments::make_report(plans, {{"smoke", Equal::steps, {}, out}},
                                               {.pictures = out, .all_items = true, .version = "1"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring,
                      "| [One: the size, b_Q](#one-the-size-b_q) | 0 of 2 | 0 | 0 | 1 | smoke, equal steps |\n"
                      "| [Two](#two) | 0 of 2 | 0 | 0 | 0 | smoke, equal steps |\n",
                      as_markdown(report, out));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<a href=\"#small\">Two</a>", as_html(report));
}

// A report of what `script` prints, with arguments that the plan has.
struct Made {
  experiments::Report report;
  std::string text;
};

Made report_of(const nlohmann::ordered_json& document, const std::string& script, const std::string& budget = "smoke") {
  const auto plan = experiments::read_plan(write_plan(document, "made"));
  const auto out = fresh_folder("made_out");
  std::ofstream(out / "echo.sh") << script;
  const Choice choice{budget, Equal::steps, {}, out};
  auto jobs = jobs_of(plan, choice);
  for (auto& job : jobs) job.commands[0][0] = (out / "echo.sh").string();
  experiments::run_jobs(jobs, {.program = "/bin/sh", .version = "1", .at_once = 2});
  auto report = experiments::make_report({plan}, {choice}, {.pictures = out, .version = "1"});
  std::string text = as_markdown(report, out);
  return {std::move(report), std::move(text)};
}

nlohmann::ordered_json plan_with_seeds() {
  auto document = small_plan();
  document["title"] = "50 % of a_b";
  document["commands"] = {"echo.sh {offset} {seed}"};
  document["rows"][0]["values"] = {{"offset", 1}};
  document["rows"][1] = {{"name", "two"}, {"title", "two, by \"it\""}, {"values", {{"offset", 2}}}};
  document["figure"] = {{"x", "n"}, {"y", "score"}, {"series", "row"}};
  return document;
}

constexpr const char* kTwoPoints =
    "for n in 8 16; do echo '{\"kind\": \"a\", \"score\": '$(($1 + $2))', \"n\": '$n'}'; done\n";

TEST(Report, TheBestOfAColumnIsBoldWhereOneIsBetter) {
  auto document = plan_with_seeds();
  EXPECT_PRED_FORMAT2(::testing::IsNotSubstring, "**", report_of(document, kTwoPoints).text);
  document["higher_is_better"] = true;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| **2.00** |", report_of(document, kTwoPoints).text);
  document["columns"][0]["higher_is_better"] = false;
  const Made lower = report_of(document, kTwoPoints);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| **1.00** | -0.50 |", lower.text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "<td><b>1.00</b></td>", as_html(lower.report));
  // By what is printed: nobody can see that one is better.
  const Made alike = report_of(document, "echo '{\"kind\": \"a\", \"score\": -0.00'$1'}'\n");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| **0.00** | -1.50 |", alike.text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| two, by \"it\" |  | **0.00** |", alike.text);
}

// A curve is the mean of its seeds, which else would be one zigzag.
TEST(Report, CurvesAreMeansOverSeeds) {
  const Made made = report_of(plan_with_seeds(), kTwoPoints, "hour");
  const auto& curves = made.report.items.at(0).figures.at(0).curves;
  ASSERT_EQ(curves.size(), 2U);
  ASSERT_EQ(curves[0].points.size(), 2U);
  EXPECT_EQ(curves[0].points[1].x, 16);
  EXPECT_EQ(curves[0].points[1].y, (std::vector<double>{1, 2}));
  EXPECT_EQ(experiments::curves_as_csv(made.report),
            "item,figure,curve,x_label,x,y_label,y,deviation,seeds\n"
            "small,50 % of a_b,one,n,8,score,1.5,0.7071067811865476,2\n"
            "small,50 % of a_b,one,n,16,score,1.5,0.7071067811865476,2\n"
            "small,50 % of a_b,\"two, by \"\"it\"\"\",n,8,score,2.5,0.7071067811865476,2\n"
            "small,50 % of a_b,\"two, by \"\"it\"\"\",n,16,score,2.5,0.7071067811865476,2\n");
}

TEST(Report, NumbersForOtherProgramsAndForAPaper) {
  auto document = plan_with_seeds();
  document["higher_is_better"] = true;
  const experiments::Report report = report_of(document, kTwoPoints, "hour").report;
  const std::string csv = experiments::as_csv(report);
  EXPECT_TRUE(csv.starts_with("item,row,title,column,mean,deviation,seeds,values,paper_mean,paper_deviation,budget,"))
      << csv;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "\nsmall,one,one,score,1.5,0.7071067811865476,2,1 2,1.5,0.1,hour,steps,,",
                      csv);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring,
                      "\nsmall,two,\"two, by \"\"it\"\"\",score,2.5,0.7071067811865476,2,2 3,,,hour,steps,,", csv);
  const std::string latex = experiments::as_latex(report);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "\\caption{50 \\% of a\\_b.", latex);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "\\begin{tabular}{lrr}\n\\toprule\n & \\multicolumn{2}{c}{score} \\\\",
                      latex);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "\none & $1.50 \\pm 0.10$ & $1.50 \\pm 0.71$ \\\\\n", latex);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, " &  & $\\mathbf{2.50 \\pm 0.71}$ \\\\\n\\bottomrule", latex);
}

// An empty cell says why it is empty.
TEST(Report, AColumnThatNothingWasPrintedForIsNamed) {
  auto document = plan_with_seeds();
  document["columns"][0]["where"] = {{"kind", "A"}};
  const Made made = report_of(document, kTwoPoints);
  EXPECT_EQ(made.report.items.at(0).rows.at(0).without, experiments::Words{"'score'"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| no number for 'score' in what was printed |", made.text);
  const Made unknown = report_of(plan_with_seeds(), "echo '{\"kind\": \"a\", \"score\": null}'\n");
  EXPECT_TRUE(unknown.report.items.at(0).rows.at(0).without.empty());
}

// Where all has failed there is a page that says how; where one seed has, its row does.
TEST(Report, WhatFailedIsOnThePage) {
  const std::string failing = "if [ $2 = 1 ] || [ $1 = 2 ]; then echo 'no | left' >&2; exit 1; fi\n";
  const Made some = report_of(plan_with_seeds(), failing + kTwoPoints, "hour");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| 1.00 | -0.50 |", some.text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "| seed 1 failed: `", some.text);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "see log, which ends with: no \\| left |", some.text);
  Made all = report_of(plan_with_seeds(), "exit 1\n");
  ASSERT_EQ(all.report.items.size(), 1U);
  auto& rows = all.report.items[0].rows;
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) EXPECT_TRUE(row.remark.starts_with("failed: `echo.sh` ended with")) << row.remark;
  // Processes may differ by a megabyte; what is the same of all rows is said once.
  rows[1].remark = rows[0].remark;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, " All rows: failed: `", as_markdown(all.report, "."));
}

}  // namespace
}  // namespace cmanp::testing
