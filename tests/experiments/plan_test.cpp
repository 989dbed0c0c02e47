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

// Each would else be found out by a table without numbers, after a night.
TEST(Plan, WhatWouldBeLostIsNamed) {
  const auto refused = [](const char* pointer, const nlohmann::ordered_json& value, const std::string& message) {
    auto plan = small_plan();
    plan[nlohmann::ordered_json::json_pointer(pointer)] = value;
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "small.json: " + message, refusal(plan));
  };
  refused("/commands/0", " ", "command 1: is empty");
  refused("/commands/0", "cmanp eval {script}", "command 1: begins with `cmanp`");
  refused("/commands/0", "-c {Script}", "{Script} has no value in row one with budget smoke; did you mean {script}?");
  refused("/budgets/lunch", {{"steps", 3}}, "budgets have to be smoke, hour, night, paper");
  refused("/budgets/smoke/steps", 2.5, "budget smoke: steps has to be a whole number, not '2.5'");
  refused("/budgets/smoke/steps", -2, "budget smoke: steps have to be 0 or more");
  refused("/budgets/hour/minutes", -1, "budget hour: minutes have to be 0 or more");
  refused("/rows/0/seeds", {{"smoke", 1.5}}, "row 1: seeds: smoke has to be a whole number, not '1.5'");
  refused("/rows/0/seeds", {{"lunch", 1}}, "row 1: seeds: has the unknown key 'lunch'");
  refused("/rows/0/paper/sore", 1, "row one: paper: there is no column 'sore'");
  refused("/columns/1", {{"title", "score"}, {"field", "x"}}, "column 'score' stands twice");
  refused("/columns/0/field", "/a~x", "column 1: field is no path: '/a~x'");
  refused("/columns/0/digits", 2.7, "column 1: digits has to be a whole number, not '2.7'");
  refused("/title", 3, "title has to be text, not '3'");
  refused("/needs", {{"seed", "a number"}}, "needs cannot be called seed");
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
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "figure: series has to be text or a list of texts, not '3'",
                      refusal(with_series(3)));
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
