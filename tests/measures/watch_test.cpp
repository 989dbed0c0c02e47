// What a model does not know is told, and what it knows is not.
#include "measures/watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "measures/knowledge.hpp"

namespace cmanp::measures {
namespace {

const Normalisation kPlain{{0}, {1}, {0}, {1}};
const Knowledge kGp{.x = {{-2, 2}}, .y = Interval{-5, 5}, .noise = 0.02, .prior = "Gaussian process"};

struct Readings {
  std::vector<double> x, y;
};

Readings readings(std::size_t count, double noise) {
  base::Random random(5);
  Readings result;
  for (std::size_t i = 0; i < count; ++i) {
    result.x.push_back(random.uniform(-2, 2));
    result.y.push_back(std::sin(3 * result.x.back()) + noise * random.normal());
  }
  return result;
}

std::string warnings(const Readings& seen, const Normalisation& units = kPlain, const Knowledge& knowledge = kGp) {
  Watch watch("m", knowledge, units);
  watch.see(seen.x, seen.y);
  std::string all;
  for (const std::string& line : watch.warnings()) all += line + "\n";
  return all;
}

TEST(Watch, WhatAModelKnowsIsNotTold) {
  EXPECT_EQ(warnings(readings(500, 0.02)), "");
  EXPECT_EQ(warnings({{-2.5, 2.5}, {-4, 4}}), "");  // answers fade, they do not break at the edge
  EXPECT_EQ(warnings({}), "");
}

TEST(Watch, ASensorsReadings) {
  const Readings sensor{{0, 3600}, {20, 25}};
  const std::string all = warnings(sensor);
  EXPECT_NE(all.find("x from 0 to 3600 (it knows -2 to 2), and y from 20 to 25 (it knows -5 to 5)"), std::string::npos)
      << all;
  EXPECT_EQ(warnings(sensor, {{1800}, {900}, {22.5}, {1.25}}), "");
}

TEST(Watch, TargetsBeyondTheRange) {
  Watch watch("m", kGp, kPlain);
  watch.see(std::vector{0.0}, std::vector{0.0});
  watch.see_targets(std::vector{1.0, 17.0});
  ASSERT_EQ(watch.warnings().size(), 1U);
  EXPECT_TRUE(watch.warnings()[0].find("the targets' x from 1 to 17") != std::string::npos);
}

TEST(Watch, ObjectsToPointsByThemselves) {
  const Watch watch("m", kGp, kPlain);
  EXPECT_EQ(watch.objection(std::vector{1.0}, std::vector{1.0}), "");
  EXPECT_NE(watch.objection(std::vector{9.0}, std::vector{1.0}), "");
  EXPECT_NE(watch.objection(std::vector{1.0}, std::vector{-9.0}), "");
  EXPECT_NE(watch.objection(std::vector{9.0}), "");
}

TEST(Watch, MoreNoiseThanIsKnown) {
  EXPECT_NE(warnings(readings(300, 0.3)).find("scatter by 0.3"), std::string::npos) << warnings(readings(300, 0.3));
  EXPECT_EQ(warnings(readings(300, 0.3), kPlain, Knowledge{.x = {{-2, 2}}, .noise = 1}), "");
  EXPECT_EQ(warnings(readings(20, 0.3)), "");  // too few to tell
}

TEST(Watch, NoiseIsToldFromFunctions) {
  for (const double noise : {0.02, 0.1, 0.5}) {
    const Readings seen = readings(1000, noise);
    EXPECT_NEAR(noise_of(seen.x, seen.y), noise, 0.15 * noise);
  }
  const Readings smooth = readings(400, 0);
  EXPECT_LT(noise_of(smooth.x, smooth.y), 0.01);
  EXPECT_EQ(noise_of(std::vector<double>(50, 1.0), std::vector<double>(50, 2.0)), 0);  // all the same
}

TEST(Watch, AnUntrainedModelIsTold) {
  EXPECT_NE(warnings({}, kPlain, Knowledge{.trained = false}).find("m is untrained"), std::string::npos);
}

Knowledge knowledge_in(const std::string& provenance) {
  const std::vector<std::byte> bytes = files::safetensors_bytes("m", {{"provenance", provenance}}, {});
  return knowledge_of(files::Safetensors::parse(bytes, "m"));
}

TEST(Knowledge, OfTheEntryOrTheSettingsOrNothing) {
  const Knowledge said = knowledge_in(R"({"knows":{"x":[[0,1],[2,5]],"noise":[0,0.5],"y":[-3,3],"prior":"p"}})");
  EXPECT_EQ(said.x_of(0), (Interval{0, 1}));
  EXPECT_EQ(said.x_of(7), (Interval{2, 5}));
  EXPECT_EQ(said.noise, 0.5);
  EXPECT_EQ(said.y, (Interval{-3, 3}));
  EXPECT_EQ(said.prior, "p");
  const Knowledge old = knowledge_in(R"({"weights":"trained","settings":{"task":"gp","kernel":"rbf"}})");
  EXPECT_EQ(old.x_of(0), (Interval{-2, 2}));
  EXPECT_EQ(old.noise, 0.02);
  EXPECT_EQ(old.prior, "Gaussian process, rbf");
  EXPECT_FALSE(knowledge_in(R"({"weights":"random"})").trained);
  for (const char* nonsense :
       {"", "[]", "7", R"({"knows":[]})", R"({"knows":{"x":5,"noise":"much","y":[3,1],"prior":[]}})",
        R"({"knows":{"x":[[1]],"noise":null}})", R"({"settings":[],"weights":{}})"}) {
    const Knowledge nothing = knowledge_in(nonsense);
    EXPECT_TRUE(nothing.x.empty() && !nothing.y && !nothing.noise && nothing.prior.empty() && nothing.trained);
  }
}

}  // namespace
}  // namespace cmanp::measures
