// Series out of tables, and windows of them: what may be asked for where, and that nothing leaks.
#include "data/windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "base/random.hpp"
#include "data/timestamp.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::data {
namespace {

using testing::error_message;

class SeriesTest : public ::testing::Test {
 protected:
  SeriesSet read(const std::string& text, const Roles& roles) const {
    std::ofstream(folder_ / "t.csv") << text;
    return series_of(read_data_table({folder_ / "t.csv"}), roles);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(SeriesTest, EveryGroupAndColumnIsOneWithWhatIsThere) {
  const SeriesSet set = read("s,t,a,b\nv,2,3,\nu,0,1,5\nu,2,,7\nu,1,2,6\nv,1,2,\n", {"s", "t", {"a", "b"}});
  ASSERT_EQ(set.series.size(), 3U);  // v has no b
  EXPECT_EQ(set.series[0].group, "v");
  EXPECT_EQ(set.series[0].x, (std::vector<double>{1, 2}));
  EXPECT_EQ(set.series[1].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(set.series[2].values, (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(set.step, 1);
  EXPECT_EQ(set.series[1].missing, std::vector<double>{2});
  EXPECT_EQ(set.without_values, 1U);
}

TEST_F(SeriesTest, AFewRowsOfTheSameXAreAveraged) {
  std::string text = "t,y\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + "," + std::to_string(i) + "\n";
  const SeriesSet set = read(text + "7,9\n", {"", "t", {"y"}});
  EXPECT_EQ(set.merged, 1U);
  EXPECT_EQ(set.series[0].values[7], 8);
}

TEST_F(SeriesTest, SaysWhatIsWrongAndWhere) {
  const auto refused = [&](const std::string& text, const Roles& roles) {
    return error_message([&] { read(text, roles); });
  };
  EXPECT_NE(refused("s,t,y\na,0,1\na,1,2\nb,0,1\nb,1,2\n", {"", "t", {"y"}}).find("t.csv:4: 2 of 4 rows"),
            std::string::npos);
  EXPECT_NE(refused("s,t,y\na,0,1\na,1,2\nb,0,1\nb,1,2\n", {"", "t", {"y"}}).find("--group"), std::string::npos);
  EXPECT_NE(refused("t,y\n0,1\n,2\n", {"", "t", {"y"}}).find("t.csv:3: column 't' is missing"), std::string::npos);
  EXPECT_NE(refused("t,y,z\n0,1,\n1,2,\n", {"", "t", {"z"}}).find("column 'z' has no values"), std::string::npos);
  EXPECT_NE(refused("t,y\n0,a\n1,b\n", {"", "t", {"y"}}).find("'y' holds words"), std::string::npos);
  EXPECT_NE(refused("t,y\n", {"", "t", {"y"}}).find("t.csv: the table has no rows"), std::string::npos);
  EXPECT_NE(refused("t,y\n0,1\n1,2\n", {"", "t", {"y", "y"}}).find("column 'y' is named twice"), std::string::npos);
  EXPECT_NE(refused("t,y\n0,1\n1,2\n", {"", "t", {"t"}}).find("column 't' is named twice"), std::string::npos);
  EXPECT_NE(refused("time,y\n0,1\n1,2\n", {"", "tine", {"y"}}).find("did you mean 'time'?"), std::string::npos);
}

class KnownTest : public SeriesTest {
 protected:
  std::vector<KnownColumn> find(const std::string& text, const std::vector<std::string>& names) const {
    std::ofstream(folder_ / "t.csv") << text;
    return find_known(read_data_table({folder_ / "t.csv"}), names);
  }
  SeriesSet read(const std::string& text, const std::vector<KnownColumn>& known) const {
    std::ofstream(folder_ / "t.csv") << text;
    return series_of(read_data_table({folder_ / "t.csv"}), {"s", "t", {"y"}}, known);
  }
};

constexpr const char* kWeather =
    "s,t,y,warm,sky,load\nu,1,2,30,clear,1\nu,0,1,10,rain,\nu,2,,20,,3\nv,0,1,10,clear,2\nv,1,1,30,rain,2\n";

TEST_F(KnownTest, NumbersAreInUnitsAndCategoriesAreOneOfTheirWords) {
  const std::vector<KnownColumn> known = find(kWeather, {"warm", "sky", "load"});
  ASSERT_EQ(known.size(), 3U);
  EXPECT_EQ(known[0].shift, 20);
  EXPECT_NEAR(known[0].scale, std::sqrt(80.0), 1e-12);
  EXPECT_EQ(known[1].words, (std::vector<std::string>{"clear", "rain"}));
  EXPECT_TRUE(known[2].may_miss);
  EXPECT_EQ(inputs_of(known), 5U);
  const SeriesSet set = read(kWeather, known);
  const float ten = -10 / std::sqrt(80.0f), two = 0, one = -1 / std::sqrt(0.5f);
  ASSERT_EQ(set.series[0].known.size(), 10U);
  const std::vector<float> first{ten, 0, 1, 0, 1}, second{-ten, 1, 0, one, 0}, missing{0, 0, 0, -one, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(set.series[0].known[i], first[i], 1e-6);
    EXPECT_NEAR(set.series[0].known[5 + i], second[i], 1e-6);
    EXPECT_NEAR(set.series[0].known_of_missing.at(i), missing[i], 1e-6);
  }
  EXPECT_NEAR(set.series[1].known[3], two, 1e-6);
}

TEST_F(KnownTest, SaysWhatIsWrongAndWhere) {
  const auto refused = [&](const std::string& text, const std::string& name) {
    return error_message([&] { find(text, {name}); });
  };
  EXPECT_NE(refused("s,t,y,z\na,0,1,5\na,1,2,5\n", "z").find("'z' never changes"), std::string::npos);
  EXPECT_NE(refused("s,t,y,z\na,0,1,w\na,1,2,w\n", "z").find("'z' never changes"), std::string::npos);
  EXPECT_NE(refused("s,t,y,z\na,0,1,\na,1,2,\n", "z").find("'z' has no values at all"), std::string::npos);
  EXPECT_NE(refused("s,t,y,z\na,0,1,2024-05-01\na,1,2,2024-05-02\n", "z").find("'z' holds times"), std::string::npos);
  std::string many = "s,t,y,z\n";
  for (int i = 0; i < 65; ++i) many += "a," + std::to_string(i) + ",1,w" + std::to_string(i) + "\n";
  EXPECT_NE(refused(many, "z").find("'z' has 65 words"), std::string::npos);
  const std::vector<KnownColumn> known = find(kWeather, {"warm", "sky"});
  const auto misread = [&](const std::string& text) { return error_message([&] { read(text, known); }); };
  EXPECT_NE(misread("s,t,y,warm,sky\nu,0,1,1,fog\n").find("t.csv:2: column 'sky': 'fog' was not there in training"),
            std::string::npos);
  EXPECT_NE(misread("s,t,y,warm,sky\nu,0,1,,rain\nu,0,1,2,rain\n").find("t.csv:2: column 'warm' is missing here"),
            std::string::npos);
  EXPECT_NE(misread("s,t,y,warm,sky\nu,0,1,1e30,rain\n").find("t.csv:2: column 'warm': 1e+30 is far from"),
            std::string::npos);
  EXPECT_NE(misread("s,t,y,warm,sky\nu,0,1,hot,rain\n").find("'warm' holds category"), std::string::npos);
  EXPECT_NE(misread("s,t,y,sky\nu,0,1,rain\n").find("no column 'warm'"), std::string::npos);
}

TEST(SplitList, TakesEntriesAsTheyAre) {
  EXPECT_EQ(split_list(""), std::vector<std::string>{});
  EXPECT_EQ(split_list("24, 168"), (std::vector<std::string>{"24", "168"}));
  EXPECT_EQ(split_list("a b,,c"), (std::vector<std::string>{"a b", "c"}));
}

TEST(Seasons, AreNumbersOfSteps) {
  EXPECT_EQ(parse_seasons("168, 24"), (std::vector<double>{24, 168}));
  EXPECT_EQ(parse_seasons(""), std::vector<double>{});
  EXPECT_EQ(parse_seasons("none"), std::vector<double>{});
  for (const char* const none : {"1", "-3", "day", "nan"}) {
    EXPECT_NE(error_message([&] { parse_seasons(none); }).find("is not a number of steps above 1"), std::string::npos);
  }
}

TEST(Seasons, AreUsualWhereTheyShow) {
  const testing::TemporaryFolder folder;
  const auto seasons_of = [&](const auto& value) {
    std::ofstream file(folder / "days.csv");
    file << "date,y\n";
    for (int day = 0; day < 140; ++day) {
      file << format_timestamp(86400.0 * (19723 + day)) << ',' << value(day) << '\n';
    }
    file.close();
    return usual_seasons(series_of(read_data_table({folder / "days.csv"}), {"", "date", {"y"}}));
  };
  base::Random random(3);
  double walk = 0;
  EXPECT_EQ(seasons_of([&](int day) { return 10 * (day % 7 < 5) + random.normal(); }), "7");
  EXPECT_EQ(seasons_of([&](int) { return walk += random.normal(); }), "");
  EXPECT_EQ(seasons_of([&](int) { return random.normal(); }), "");
}

// Values that say which they are: series * 1000 + point.
SeriesSet numbered(std::size_t count, std::size_t length, double step = 1) {
  SeriesSet set;
  set.step = step;
  for (std::size_t s = 0; s < count; ++s) {
    Series series{"g" + std::to_string(s), "y", {}, {}};
    for (std::size_t i = 0; i < length; ++i) {
      series.x.push_back(5 + step * static_cast<double>(i));
      series.values.push_back(static_cast<double>(1000 * s + i));
    }
    set.series.push_back(std::move(series));
  }
  return set;
}

WindowPlan plan_for(const std::string& parts, std::vector<Split> splits) {
  WindowPlan plan;
  plan.window = 20;
  plan.horizon = 6;
  plan.parts = parts;
  plan.splits = std::move(splits);
  plan.test_windows = 2;
  return plan;
}

std::set<double> values_at(const Window& window, const std::vector<std::size_t>& points) {
  std::set<double> values;
  for (const std::size_t i : points) values.insert(window.series->values[i]);
  return values;
}

TEST(Windows, NothingThatATestAsksForIsTrainedOn) {
  for (const char* parts : {"time", "group", "both"}) {
    for (const std::vector<Split>& splits : {std::vector{Split::forecast},
                                             {Split::gaps},
                                             {Split::random},
                                             {Split::forecast, Split::gaps, Split::random}}) {
      const Windows windows(numbered(12, 150, 0.1), [&] {
        WindowPlan plan = plan_for(parts, splits);
        plan.step = 0.1;
        return plan;
      }());
      std::set<double> asked;
      for (const Part part : {Part::validation, Part::test}) {
        const std::vector<Window> all = windows.all(part);
        EXPECT_FALSE(all.empty()) << parts;
        for (const Window& window : all) {
          asked.merge(values_at(window, window.targets));
          // A forecast's context is known by then, whatever part it was in; all of another window is its part's own.
          const bool predicts = window.context.back() < window.targets.front();
          if (!predicts) asked.merge(values_at(window, window.context));
        }
      }
      if (splits == std::vector{Split::forecast}) {
        // A test's context may be what was validated by, never what was asked for in the test itself.
        for (const Window& window : windows.all(Part::test)) {
          for (const std::size_t i : window.context) EXPECT_LT(i, window.targets.front());
        }
      }
      base::Random random(1);
      for (int i = 0; i < 2000; ++i) {
        const Window window = windows.draw(windows.draw_shape(random), random).at(0);
        for (const std::size_t point : window.context)
          ASSERT_FALSE(asked.contains(window.series->values[point])) << parts;
        for (const std::size_t point : window.targets)
          ASSERT_FALSE(asked.contains(window.series->values[point])) << parts;
      }
    }
  }
}

// Two columns a group, of which the second has holes, is a step behind, and ends earlier. Values say which they are.
SeriesSet two_columns(std::size_t groups, std::size_t length) {
  SeriesSet set;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t column = 0; column < 2; ++column) {
      Series series{"g" + std::to_string(g), column == 0 ? "a" : "b", {}, {}};
      series.column = column;
      for (std::size_t i = column; i < length - 9 * column; ++i) {
        if (column == 1 && i % 5 == 0) continue;
        series.x.push_back(static_cast<double>(i));
        series.values.push_back(static_cast<double>(10000 * g + 1000 * column + i));
      }
      set.series.push_back(std::move(series));
    }
  }
  return set;
}

WindowPlan joint_plan(const std::string& parts, std::vector<Split> splits) {
  WindowPlan plan = plan_for(parts, std::move(splits));
  plan.jointly = true;
  return plan;
}

double x_of(const Window& window, std::size_t point) { return window.series->x[point]; }

TEST(JointWindows, NothingThatATestAsksForIsTrainedOn) {
  for (const char* parts : {"time", "group", "both"}) {
    for (const std::vector<Split>& splits : {std::vector{Split::forecast},
                                             {Split::gaps},
                                             {Split::random},
                                             {Split::forecast, Split::gaps, Split::random}}) {
      const Windows windows(two_columns(12, 150), joint_plan(parts, splits));
      std::set<double> asked;
      for (const Part part : {Part::validation, Part::test}) {
        const std::vector<Window> all = windows.all(part);
        EXPECT_FALSE(all.empty()) << parts;
        for (const Window& window : all) {
          asked.merge(values_at(window, window.targets));
          if (splits != std::vector{Split::forecast}) continue;
          // No column tells what comes, neither of itself nor of another.
          for (const Window& other : window.task ? *window.task : std::vector{window}) {
            for (const std::size_t i : other.context) ASSERT_LE(x_of(other, i), window.origin);
            for (const std::size_t i : other.targets) ASSERT_GT(x_of(other, i), window.origin);
          }
        }
      }
      base::Random random(1);
      for (int i = 0; i < 1000; ++i) {
        for (const Window& window : windows.draw(windows.draw_shape(random), random)) {
          for (const auto* points : {&window.context, &window.targets}) {
            for (const double value : values_at(window, *points)) ASSERT_FALSE(asked.contains(value)) << parts;
          }
        }
      }
    }
  }
}

TEST(JointWindows, ARowThatLacksAColumnIsContextForTheOther) {
  const Windows windows(two_columns(1, 150), joint_plan("time", {Split::forecast}));
  const std::vector<Window> tests = windows.all(Part::test);
  ASSERT_GE(tests.size(), 2U);
  const std::vector<Window>& task = *tests[0].task;
  ASSERT_EQ(task.size(), 2U);
  EXPECT_EQ(task[0].context.size(), 20U);  // whole, whatever is missing in the other
  EXPECT_EQ(task[1].context.size(), 16U);  // without 120, 125, 130, 135
  EXPECT_EQ(task[0].targets.size(), 6U);
  EXPECT_EQ(task[0].origin, task[1].origin);
}

TEST(JointWindows, TrainingAlsoKnowsOfSomeColumnsWhatIsAskedOfOthers) {
  const Windows windows(two_columns(3, 150), joint_plan("time", {Split::forecast}));
  base::Random random(1);
  int known = 0, asked_both = 0;
  for (int i = 0; i < 400; ++i) {
    const std::vector<Window> task = windows.draw(windows.draw_shape(random), random);
    const bool ahead = std::any_of(task.begin(), task.end(), [](const Window& window) {
      return !window.context.empty() && x_of(window, window.context.back()) > window.origin;
    });
    known += ahead ? 1 : 0;
    asked_both += !ahead && task.size() == 2 && !task[0].targets.empty() && !task[1].targets.empty() ? 1 : 0;
  }
  EXPECT_GT(known, 30);
  EXPECT_LT(known, 150);
  EXPECT_GT(asked_both, 200);
}

TEST(JointWindows, GapsMayBeOfAllColumnsOrOfEachItsOwn) {
  const Windows windows(two_columns(3, 150), joint_plan("time", {Split::gaps}));
  base::Random random(1);
  const auto first_missing = [](const Window& window) { return x_of(window, window.targets.at(0)); };
  int apart = 0;
  for (int i = 0; i < 50; ++i) {
    const std::vector<Window> same = windows.draw({Split::gaps, 1, 0.5}, random);
    if (same.size() == 2 && !same[1].targets.empty()) {
      EXPECT_NEAR(first_missing(same[0]), first_missing(same[1]), 1);
    }
    const std::vector<Window> own = windows.draw({Split::gaps, 1}, random);
    if (own.size() < 2 || own[0].targets.empty() || own[1].targets.empty()) continue;
    apart += std::abs(first_missing(own[0]) - first_missing(own[1])) > 1 ? 1 : 0;
  }
  EXPECT_GT(apart, 10);
}

TEST(Windows, AForecastHasItsWholeContextAndHorizon) {
  const Windows windows(numbered(3, 150), plan_for("time", {Split::forecast}));
  const std::vector<Window> tests = windows.all(Part::test);
  ASSERT_EQ(tests.size(), 6U);  // two of each
  EXPECT_EQ(tests[0].context.size(), 20U);
  EXPECT_EQ(tests[0].targets, (std::vector<std::size_t>{138, 139, 140, 141, 142, 143}));
  EXPECT_EQ(tests[0].context.back(), 137U);
  EXPECT_EQ(tests[0].origin, tests[0].series->x[137]);
  EXPECT_EQ(tests[1].targets.back(), 149U);
  base::Random random(1);
  std::set<std::size_t> first_targets;
  for (int i = 0; i < 3000; ++i) {
    const Window window = windows.draw({Split::forecast, 0}, random).at(0);
    ASSERT_EQ(window.context.size(), 20U);
    ASSERT_EQ(window.targets.size(), 6U);
    first_targets.insert(window.targets[0]);
  }
  // Any place at which there is room: 150 - 3 * 6 points are trained on.
  EXPECT_EQ(*first_targets.begin(), 20U);
  EXPECT_EQ(*first_targets.rbegin(), 126U);
  EXPECT_EQ(first_targets.size(), 107U);
}

TEST(Windows, ShortSeriesGiveWhatTheyHave) {
  SeriesSet set = numbered(2, 30);
  set.series.push_back({"short", "y", {0, 1}, {3, 4}});
  WindowPlan plan = plan_for("time", {Split::forecast});
  plan.test_windows = 1;
  const Windows windows(std::move(set), plan);
  EXPECT_EQ(windows.left_out(), 1U);
  base::Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Window window = windows.draw({Split::forecast, 0}, random).at(0);
    EXPECT_GE(window.context.size(), 2U);
    EXPECT_GE(window.targets.size(), 1U);
    EXPECT_LT(window.targets.back(), 18U);
  }
}

TEST(Windows, GapsAreStretchesAndRandomPointsAreAny) {
  const Windows windows(numbered(3, 300), plan_for("time", {Split::gaps, Split::random}));
  base::Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Window gap = windows.draw({Split::gaps, 1}, random).at(0);
    EXPECT_EQ(gap.targets.back() - gap.targets.front() + 1, gap.targets.size());
    EXPECT_LE(gap.targets.size(), 6U);
    const Window any = windows.draw({Split::random, 0.5}, random).at(0);
    EXPECT_EQ(any.context.size(), 10U);
    EXPECT_EQ(any.targets.size(), 10U);
  }
}

TEST(Windows, RefusesWhatLeavesNothing) {
  EXPECT_NE(error_message([] { Windows(numbered(3, 10), plan_for("time", {Split::forecast})); }).find("long enough"),
            std::string::npos);
  EXPECT_NE(error_message([] { Windows(numbered(2, 100), plan_for("group", {Split::forecast})); }).find("too few"),
            std::string::npos);
  SeriesSet flat = numbered(3, 100);
  for (Series& series : flat.series) series.values = std::vector<double>(series.x.size(), 7.0);
  const Windows windows(std::move(flat), plan_for("time", {Split::forecast}));
  base::Random random(1);
  EXPECT_NE(error_message([&] {
              windows.draw({Split::forecast, 0}, random);
            }).find("always the same value"),
            std::string::npos);
}

TEST(ContextUnits, AreOfTheContextAlone) {
  EXPECT_EQ(context_units({1, 3}, false), (base::Scale{2, 1}));
  EXPECT_EQ(context_units({4, 4, 4}, false), (base::Scale{4, 1}));
  EXPECT_EQ(context_units({}, false), base::Scale{});
}

}  // namespace
}  // namespace cmanp::data
