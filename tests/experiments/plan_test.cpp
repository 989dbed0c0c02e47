#include <gtest/gtest.h>

#include <cmanp/error.hpp>

#include "experiments/placeholders.hpp"
#include "experiments/small_plan.hpp"

namespace cmanp::testing {
namespace {

using experiments::read_plan;

std::string refusal(const nlohmann::ordered_json& document) {
  try {
    read_plan(write_plan(document, "refused"));
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Plan, IsReadWithAllThatItSays) {
  const experiments::Plan plan = experiments::read_plan(write_plan(small_plan(), "read"));
  EXPECT_EQ(plan.name, "small");
  EXPECT_EQ(plan.rows[0].title, "one");
  EXPECT_EQ(plan.rows[0].paper.at("score").deviation, 0.1);
  EXPECT_EQ(plan.budgets.at("hour").seeds, 2);
  EXPECT_EQ(plan.commands[0].words, (experiments::Words{"-c", "{script}"}));
}

TEST(Plan, WhatIsWrongIsNamed) {
  auto plan = small_plan();
  plan["tilte"] = 1;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "small.json: has the unknown key 'tilte'", refusal(plan));
  plan = small_plan();
  plan["rows"][1]["name"] = "one";
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "row one stands twice", refusal(plan));
  plan = small_plan();
  plan["rows"][1]["name"] = "../up";
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "row 2: its name becomes a folder's", refusal(plan));
  plan = small_plan();
  plan["rows"][1].erase("values");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "{script} has no value in row two", refusal(plan));
  plan = small_plan();
  plan["budgets"].erase("night");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "budgets have to be smoke, hour, night, paper", refusal(plan));
  plan = small_plan();
  plan["rows"][0]["paper"]["score"] = "best";
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "row 1: the paper's value", refusal(plan));
  plan = small_plan();
  plan["commands"] = 3;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "commands has to be a list", refusal(plan));
}

TEST(Plan, CurvesAreToldApartByOneFieldOrSeveral) {
  auto plan = small_plan();
  const auto with_series = [&](const nlohmann::ordered_json& series) {
    plan["figure"] = {{"x", "n"}, {"y", "score"}, {"series", series}};
    return plan;
  };
  EXPECT_EQ(read_plan(write_plan(with_series("kind"), "series")).figures[0].series, experiments::Words{"kind"});
  EXPECT_EQ(read_plan(write_plan(with_series({"form", "kind"}), "series")).figures[0].series,
            (experiments::Words{"form", "kind"}));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "series has no field",
                      refusal(with_series(nlohmann::ordered_json::array())));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "series has another type than it should", refusal(with_series(3)));
}

TEST(Plan, AClaimIsAboutWhatIsThere) {
  auto plan = small_plan();
  const auto claim = [&](nlohmann::ordered_json what) {
    plan["claims"] = {what};
    return refusal(plan);
  };
  EXPECT_EQ(claim({{"says", "x"}, {"row", "one"}, {"column", "score"}, {"below", 1}}), "not refused");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "claim 1: there is no row three",
                      claim({{"says", "x"}, {"row", "three"}, {"column", "score"}, {"below", 1}}));
  EXPECT_PRED_FORMAT2(
      ::testing::IsSubstring, "claim 1: there is no column sore",
      claim({{"says", "x"}, {"row", "one"}, {"column", "score"}, {"above", {{"row", "two"}, {"column", "sore"}}}}));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "has either below or above",
                      claim({{"says", "x"}, {"row", "one"}, {"column", "score"}}));
  plan = small_plan();
  plan["columns"][0]["command"] = 2;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "column 1: command has to be 1 to 1", refusal(plan));
  plan = small_plan();
  plan["pictures"] = {{{"file", "../up.png"}, {"title", "x"}}};
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "file has to be a name", refusal(plan));
}

// All that the repository ships.
TEST(Plan, ThoseOfThePaperAreSound) {
  const auto plans = experiments::read_plans(CMANP_SOURCE_DIR "/experiments");
  EXPECT_GE(plans.size(), 28U);
}

TEST(Plan, ThoseWithSmallerPlacesComeFirst) {
  auto plan = small_plan();
  const auto folder = write_plan(plan, "placed").parent_path();
  for (const auto& [name, place] : {std::pair{"a", 2}, {"b", 1}, {"c", 2}}) {
    plan["place"] = place;
    std::ofstream(folder / (std::string(name) + ".json")) << plan.dump();
  }
  std::string names;
  for (const experiments::Plan& one : experiments::read_plans(folder)) names += one.name + " ";
  EXPECT_EQ(names, "small b a c ");
}

TEST(Placeholders, AWordAloneMayBecomeSeveral) {
  EXPECT_EQ(experiments::filled_in({"{a}", "x={b}.{b}", "{c}"}, {{"a", {"1", "2"}}, {"b", {"y"}}, {"c", {}}}),
            (experiments::Words{"1", "2", "x=y.y"}));
  EXPECT_THROW(experiments::filled_in({"x{a}"}, {{"a", {"1", "2"}}}), Error);
}

}  // namespace
}  // namespace cmanp::testing
