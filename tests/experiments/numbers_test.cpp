#include "experiments/numbers.hpp"

#include <gtest/gtest.h>

#include "experiments/claims.hpp"
#include "experiments/small_plan.hpp"

namespace cmanp::testing {
namespace {

using experiments::Column;
using experiments::fitted_power;
using experiments::Line;
using experiments::number_for;
using experiments::Pick;

TEST(Numbers, APowerIsFittedOverTheUpperHalf) {
  EXPECT_NEAR(*fitted_power({{1, 2, 4, 8}, {5, 2, 8, 32}}), 2, 1e-12);  // the first is not in it
  EXPECT_NEAR(*fitted_power({{1, 2, 4, 8, 16, 32}, {9, 9, 9, 3, 3, 3}}), 0, 1e-12);
  EXPECT_NEAR(*fitted_power({{10, 20}, {7, 14}}), 1, 1e-12);
  EXPECT_FALSE(fitted_power({{10, 10}, {7, 14}}));
  EXPECT_FALSE(fitted_power({{10, 20}, {0, 14}}));
  EXPECT_FALSE(fitted_power({}));
}

TEST(Numbers, OfAColumn) {
  const std::vector<Line> lines{{{"n", 4}, {"mb", 16}, {"deep", {{{"value", 3}}}}},
                                {{"n", 2}, {"mb", 4}},
                                {{"n", 8}, {"mb", nullptr}},
                                {{"n", 1}, {"mb", 0.01}}};
  Column column;
  column.field = "mb";
  column.over = "n";
  column.at_least = 1;
  column.times = 10;
  EXPECT_EQ(number_for(column, lines), 160);
  column.pick = Pick::most;
  EXPECT_EQ(number_for(column, lines), 160);
  column.pick = Pick::least;
  EXPECT_DOUBLE_EQ(*number_for(column, lines), 0.1);
  column.pick = Pick::power;
  EXPECT_NEAR(*number_for(column, lines), 2, 1e-12);
  column = Column();
  column.field = "/deep/0/value";
  EXPECT_EQ(number_for(column, lines), 3);
  column.field = "nothing";
  EXPECT_FALSE(number_for(column, lines));
}

TEST(Numbers, ACurveIsCalledByTheValuesOfItsFields) {
  const Line line{{"form", "ours"}, {"kernel", "rbf"}, {"n", 4}};
  EXPECT_EQ(experiments::text_in(line, {"kernel"}), "rbf");
  EXPECT_EQ(experiments::text_in(line, {"form", "kernel", "n"}), "ours, rbf, 4");
  EXPECT_FALSE(experiments::text_in(line, {"form", "model"}));
}

TEST(Numbers, LinesKnowTheirRowAndTheValueOfEach) {
  experiments::Row row;
  row.title = "The row";
  row.values = {{"latents", "8"}};
  experiments::Job job;
  job.origins = {{0}, {1, {{"block", 5}}}};
  experiments::Result result;
  result.printed = {{{{"step", 1}}}, {{{"score", 2}, {"latents", 9}}}};
  const auto lines = lines_of({1, {{"block", 5}}}, row, job, result);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["row"], "The row");
  EXPECT_EQ(lines[0]["block"], 5);
  EXPECT_EQ(lines[0]["latents"], 9);  // what was printed goes before
  EXPECT_TRUE(lines_of({1, {{"block", 6}}}, row, job, result).empty());
}

TEST(Claims, AreComparedWithNumbersOrOtherRows) {
  experiments::Plan plan;
  plan.columns.resize(1);
  plan.columns[0].title = "ms";
  const auto row = [](const char* name, const std::vector<double>& seeds) {
    experiments::TableRow made;
    made.name = name;
    made.cells.push_back({.seeds = seeds, .mean = seeds.empty() ? 0 : seeds[0]});
    return made;
  };
  const std::vector<experiments::TableRow> rows{row("a", {2}), row("b", {3}), row("c", {})};
  experiments::Claim claim;
  claim.row = "a";
  claim.column = "ms";
  claim.bound = 2.5;
  auto result = checked(claim, plan, rows);
  EXPECT_EQ(result.verdict, experiments::Verdict::held);
  EXPECT_EQ(result.numbers, "2 < 2.5");
  claim.other_row = "b";
  claim.other_column = "ms";
  claim.bound = 0.5;
  result = checked(claim, plan, rows);
  EXPECT_EQ(result.verdict, experiments::Verdict::did_not_hold);
  EXPECT_EQ(result.numbers, "2 > 1.5 = 0.5 × 3");
  claim.other_row = "c";
  EXPECT_EQ(checked(claim, plan, rows).verdict, experiments::Verdict::not_known);
}

}  // namespace
}  // namespace cmanp::testing
