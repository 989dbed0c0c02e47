// Tables with several x: their rows as series, and tasks of these; nothing leaks.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "data/check.hpp"
#include "data/row_series.hpp"
#include "data/windows.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::data {
namespace {

using testing::error_message;

class RowsTest : public ::testing::Test {
 protected:
  DataTable table(const std::string& text) const {
    std::ofstream(folder_ / "t.csv") << text;
    return read_data_table({folder_ / "t.csv"});
  }
  SeriesSet read(const std::string& text, const RowRoles& roles) const {
    const DataTable all = table(text);
    return row_series_of(all, roles, find_known(all, roles.x, {}, true));
  }

  testing::TemporaryFolder folder_;
};

constexpr const char* kPlaces =
    "lat,lon,soil,a,b\n1,10,clay,5,\n3,20,sand,6,60\n5,30,clay,7,70\n1,10,sand,,80\n9,10,clay,9,90\n";

TEST_F(RowsTest, EveryXIsAnInputAndEveryValueAPoint) {
  const SeriesSet set = read(kPlaces, {"", {"lat", "lon", "soil"}, {"a", "b"}});
  ASSERT_EQ(set.series.size(), 2U);
  EXPECT_EQ(set.series[0].values, (std::vector<double>{5, 6, 7, 9}));
  EXPECT_EQ(set.series[0].x, (std::vector<double>{0, 1, 2, 4}));  // rows
  EXPECT_EQ(set.series[1].values, (std::vector<double>{60, 70, 80, 90}));
  EXPECT_EQ(set.series[1].column, 1U);
  ASSERT_EQ(set.series[0].known.size(), 16U);  // lat, lon, clay, sand
  EXPECT_EQ(set.series[0].known[2], 1);
  EXPECT_EQ(set.series[0].known[6], 0);
  EXPECT_EQ(set.series[0].known[7], 1);
}

TEST_F(RowsTest, UnitsAreOfTheRowsThatAreTrainedOn) {
  const DataTable all = table("u,v,y\n1,2,10\n3,2,30\n1000,5,9000\n");
  const std::vector<bool> rows{true, true, false};
  EXPECT_EQ(find_known(all, {"u"}, rows).at(0).shift, 2);
  EXPECT_EQ(find_known(all, {"u"}, rows).at(0).scale, 1);
  EXPECT_EQ(units_of_values(all, "y", rows).scale, 10);
  EXPECT_NE(error_message([&] { find_known(all, {"v"}, rows); }).find("'v' never changes"), std::string::npos);
}

TEST_F(RowsTest, TimesCanBeInputsWhereXAreSeveral) {
  const DataTable all = table("u,when,y\n1,2024-01-01,10\n3,2024-01-03,30\n");
  EXPECT_TRUE(find_known(all, {"when"}, {}, true).at(0).time);
  EXPECT_NE(error_message([&] { find_known(all, {"when"}); }).find("holds times"), std::string::npos);
  const std::vector<KnownColumn> known = find_known(all, {"u", "when"}, {}, true);
  const DataTable numbers = table("u,when,y\n1,5,10\n3,6,30\n");
  EXPECT_NE(error_message([&] {
              row_series_of(numbers, {"", {"u", "when"}, {"y"}}, known);
            }).find("'when' holds number, but was trained on with times"),
            std::string::npos);
}

TEST_F(RowsTest, SaysWhatIsWrongAndWhere) {
  const auto refused = [&](const std::string& text, const RowRoles& roles) {
    return error_message([&] { read(text, roles); });
  };
  EXPECT_NE(refused(kPlaces, {"", {"lat", "lom"}, {"a"}}).find("no column 'lom' (did you mean 'lon'?)"),
            std::string::npos);
  EXPECT_NE(refused(kPlaces, {"", {"lat", "lon"}, {"soil"}}).find("'soil' holds words"), std::string::npos);
  EXPECT_NE(refused(kPlaces, {"", {"lat", "lon"}, {"lat"}}).find("'lat' is named twice"), std::string::npos);
  EXPECT_NE(refused("u,v,y\n1,,3\n2,,4\n", {"", {"u", "v"}, {"y"}}).find("'v' has no values at all"),
            std::string::npos);
  EXPECT_NE(refused("u,v,y\n1,3,\n2,4,\n", {"", {"u", "v"}, {"y"}}).find("'y' has no values at all"),
            std::string::npos);
  EXPECT_NE(refused("g,u,v,y\na,1,3,1\n,2,4,1\n", {"g", {"u", "v"}, {"y"}}).find("t.csv:3: column 'g' is missing"),
            std::string::npos);
  std::string many = "u,v,y\n";
  for (int i = 0; i < 65; ++i) many += std::to_string(i) + ",w" + std::to_string(i) + ",1\n";
  EXPECT_NE(refused(many, {"", {"u", "v"}, {"y"}}).find("'v' has 65 words"), std::string::npos);
}

TEST_F(RowsTest, TheDoctorSuggestsSeveralX) {
  const auto several = [&](const std::string& text, const Roles& roles = {}) {
    return check_table(table(text), roles).several_x;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(several("depth,flow,rain\n3,2,1\n1,5,2\n2,1,3\n2,9,1\n"), (Names{"depth", "flow"}));
  EXPECT_EQ(several("depth,flow,rain\n3,2,1\n1,5,2\n2,1,3\n2,9,1\n", {.y = {"flow"}}), (Names{"depth", "rain"}));
  EXPECT_EQ(several("lat,lon,rain,wind\n1,2,1,1\n2,5,2,4\n3,1,3,2\n"), (Names{"lat", "lon"}));
  EXPECT_EQ(several("hour,a,b\n1,2,1\n2,5,2\n"), Names());
  EXPECT_EQ(several("when,a,b\n2024-01-01,2,1\n2024-01-02,5,2\n"), Names());
  const TableReport report = check_table(table(kPlaces));
  EXPECT_EQ(report.roles.y, (Names{"a", "b"}));
}

// Values say which they are: group * 1000 + row; the second column has holes.
SeriesSet numbered_rows(std::size_t groups, std::size_t rows) {
  SeriesSet set;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t column = 0; column < 2; ++column) {
      Series series{"g" + std::to_string(g), column == 0 ? "a" : "b", {}, {}};
      series.column = column;
      for (std::size_t i = 0; i < rows; ++i) {
        if (column == 1 && i % 3 == 0) continue;
        series.x.push_back(static_cast<double>(i));
        series.values.push_back(static_cast<double>(1000 * g + i));
      }
      if (!series.x.empty()) set.series.push_back(std::move(series));
    }
  }
  return set;
}

WindowPlan rows_plan(const std::string& parts, bool jointly) {
  WindowPlan plan;
  plan.rows = true;
  plan.window = 16;
  plan.parts = parts;
  plan.splits = {Split::random};
  plan.jointly = jointly;
  return plan;
}

std::vector<double> rows_at(const Window& window, const std::vector<std::size_t>& points) {
  std::vector<double> values;
  for (const std::size_t i : points) values.push_back(window.series->values[i]);
  return values;
}

TEST(RowTasks, NoRowThatATestAsksForIsTrainedOn) {
  for (const bool jointly : {false, true}) {
    for (const char* parts : {"group", "rows"}) {
      const Windows windows(numbered_rows(parts == std::string("rows") ? 2 : 20, 100), rows_plan(parts, jointly));
      std::set<double> asked;
      for (const Part part : {Part::validation, Part::test}) {
        const std::vector<Window> all = windows.all(part);
        EXPECT_FALSE(all.empty()) << parts;
        std::set<double> own;
        for (const Window& window : all) {
          for (const double row : rows_at(window, window.targets)) {
            EXPECT_FALSE(asked.contains(row)) << "in both parts: " << row;
            own.insert(row);
          }
          EXPECT_GE(window.context.size(), 2U);
        }
        // Nor does a column tell what another is asked for.
        for (const Window& window : all) {
          for (const Window& other : window.task ? *window.task : std::vector{window}) {
            for (const double row : rows_at(other, other.context)) {
              for (const double target : rows_at(window, window.targets)) ASSERT_NE(row, target);
            }
          }
        }
        asked.merge(own);
      }
      base::Random random(1);
      for (int i = 0; i < 1000; ++i) {
        const std::vector<Window> task = windows.draw(windows.draw_shape(random), random);
        if (!jointly) {
          EXPECT_EQ(task.size(), 1U);
        }
        std::size_t targets = 0;
        for (const Window& window : task) {
          targets += window.targets.size();
          for (const double row : rows_at(window, window.context)) ASSERT_FALSE(asked.contains(row)) << parts;
          for (const double row : rows_at(window, window.targets)) ASSERT_FALSE(asked.contains(row)) << parts;
        }
        EXPECT_GT(targets, 0U);
      }
    }
  }
}

TEST(RowTasks, ARowThatLacksAColumnIsContextForTheOther) {
  const Windows windows(numbered_rows(20, 100), rows_plan("group", true));
  base::Random random(1);
  bool seen = false;
  for (int i = 0; i < 50; ++i) {
    const std::vector<Window> task = windows.draw({Split::random, 0.5}, random);
    ASSERT_EQ(task.size(), 2U);
    EXPECT_EQ(task[0].context.size(), 8U);
    for (const std::size_t point : task[0].context) {
      seen = seen || static_cast<int>(task[0].series->x[point]) % 3 == 0;
    }
  }
  EXPECT_TRUE(seen);
}

TEST(RowTasks, GroupsOfTooFewRowsAreLeftOut) {
  SeriesSet set = numbered_rows(3, 50);
  set.series.push_back({"one", "a", {0}, {3}});
  EXPECT_EQ(Windows(std::move(set), rows_plan("rows", true)).left_out(), 1U);
  EXPECT_NE(error_message([] { Windows(numbered_rows(3, 1), rows_plan("rows", true)); }).find("no group has 3 rows"),
            std::string::npos);
}

}  // namespace
}  // namespace cmanp::data
