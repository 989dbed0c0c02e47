// The doctor of tables.
#include "data/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <fstream>
#include <string>

#include "support/temporary_folder.hpp"

namespace cmanp::data {
namespace {

class CheckTest : public ::testing::Test {
 protected:
  TableReport check(const std::string& text, const Roles& roles = {}) const {
    std::ofstream(folder_ / "table.csv") << text;
    return check_table(read_data_table({folder_ / "table.csv"}, {.lenient = true}), roles);
  }

  static std::string days(int count, const std::string& group = "") {
    std::string text;
    for (int day = 0; day < count; ++day) {
      text += fmt::format("{}2024-{:02}-{:02},{}.5\n", group, 1 + day / 28, 1 + day % 28, day * 7 % 11);
    }
    return text;
  }

  static bool advises(const TableReport& report, const std::string& what) {
    return std::any_of(report.advice.begin(), report.advice.end(),
                       [&](const std::string& advice) { return advice.find(what) != std::string::npos; });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CheckTest, FindsWhatColumnsAreFor) {
  const TableReport report =
      check("station,hour,temperature,wind\na,0,1,5\na,1,2,6\na,2,3,7\nb,0,1,8\nb,1,2,\nb,2,3,9\n");
  EXPECT_EQ(report.roles.group, "station");
  EXPECT_EQ(report.roles.x, "hour");
  EXPECT_EQ(report.roles.y, (std::vector<std::string>{"temperature", "wind"}));
  EXPECT_EQ(report.series.groups, 2U);
  EXPECT_EQ(report.series.step, 1);
  EXPECT_EQ(report.series.gaps, 0U);
  EXPECT_TRUE(advises(report, "2 groups are few"));
  EXPECT_TRUE(advises(report, "1 of 6 values of 'wind' are missing"));
}

TEST_F(CheckTest, ATimeIsTheX) {
  const TableReport report = check("when,value\n2024-01-01,1\n2024-01-02,2\n2024-01-05,3\n2024-01-06,4\n");
  EXPECT_EQ(report.roles.x, "when");
  EXPECT_EQ(report.series.step, 86400);
  EXPECT_EQ(report.series.gaps, 1U);
  EXPECT_EQ(report.series.largest_gap, 3 * 86400);
  EXPECT_TRUE(advises(report, "a single series"));
}

TEST_F(CheckTest, ASeriesOfEvenStepsHasNoGroups) {
  const std::string days =
      "date,weather,degrees\n2024-01-01,sun,1\n2024-01-02,rain,2\n2024-01-03,sun,3\n2024-01-04,rain,4\n";
  EXPECT_EQ(check(days).roles.group, "");
  EXPECT_EQ(check(days, {.group = "weather"}).roles.group, "weather");
  const std::string stations = "date,station,degrees\n2024-01-01,a,1\n2024-01-02,a,2\n2024-01-01,b,3\n2024-01-02,b,4\n";
  EXPECT_EQ(check(stations).roles.group, "station");
  EXPECT_EQ(check(stations, {.group = "none"}).roles.group, "");
  // A column that is not there in every row names no group where another does.
  EXPECT_EQ(check("province,country,day,y\n,Chad,1,1\n,Chad,2,1\nHubei,China,1,2\nHubei,China,2,5\n").roles.group,
            "country");
  // What is taken for something else is guessed to be nothing.
  std::ofstream(folder_ / "table.csv") << stations;
  const DataTable table = read_data_table({folder_ / "table.csv"});
  EXPECT_EQ(find_roles(table, {}, {"station"}).group, "");
  EXPECT_THROW(find_roles(table, {}, {"degrees"}).y.at(0), std::out_of_range);
}

TEST_F(CheckTest, PartsOfDatesAndNumbersOfRowsAreNoValues) {
  EXPECT_EQ(
      check("id,date,Year,month,sold\n1,2024-01-01,2024,1,5\n2,2024-01-02,2024,1,6\n3,2024-01-03,2024,1,7\n").roles.y,
      std::vector<std::string>{"sold"});
  EXPECT_EQ(check("date,year\n2024-01-01,2024\n2024-01-02,2024\n").roles.y, std::vector<std::string>{"year"});
}

TEST_F(CheckTest, CodesAndConstantsAreNoValues) {
  EXPECT_EQ(check("t,dir,dirCat,zip_code,unit\n1,10.5,3,8001,7\n2,11,4,8002,7\n3,12.5,3,8001,7\n").roles.y,
            std::vector<std::string>{"dir"});
  EXPECT_EQ(check("t,index_id\n1,5\n2,7\n").roles.y, std::vector<std::string>{"index_id"});  // nothing else is there
}

// As R and pandas write their tables.
TEST_F(CheckTest, RowNumbersWithoutANameAreNeitherValuesNorX) {
  const TableReport nile = check("\"\",\"Time\",\"Nile\"\n\"1\",1871,1120\n\"2\",1872,1160\n\"3\",1873,963\n");
  EXPECT_EQ(nile.roles.x, "Time");
  EXPECT_EQ(nile.roles.y, std::vector<std::string>{"Nile"});
  const TableReport series = check(",0\n0,112\n1,118\n2,132\n");
  EXPECT_EQ(series.roles.x, "column1");
  EXPECT_EQ(series.roles.y, std::vector<std::string>{"0"});
  // A month that comes again is no place in time; the rows have an order.
  std::string days = ",Wind,Month,Day\n";
  for (int i = 0; i < 60; ++i) {
    days += std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(5 + i / 30) + "," +
            std::to_string(1 + i % 30) + "\n";
  }
  EXPECT_EQ(check(days).roles.x, "column1");
  EXPECT_EQ(check(days).roles.y, std::vector<std::string>{"Wind"});
}

TEST_F(CheckTest, ConstantsDoNotAscend) { EXPECT_EQ(check("one,y\n1,5\n1,3\n1,4\n1,2\n").roles.x, ""); }

TEST_F(CheckTest, WholeNumbersTellSeriesApartWhereNothingElseDoes) {
  std::string panel = "firm,year,inv,n\n";
  for (int firm = 1; firm <= 3; ++firm) {
    for (int year = 0; year < 8; ++year) {
      panel += std::to_string(firm) + "," + std::to_string(1990 + year) + "," + std::to_string(year * firm % 5) + "," +
               std::to_string(10 * firm + year) + "\n";
    }
  }
  EXPECT_EQ(check(panel).roles.group, "firm");
  EXPECT_EQ(check(panel).roles.y, (std::vector<std::string>{"inv", "n"}));
}

TEST_F(CheckTest, TheWordsThatTellRowsApartAreTheGroup) {
  std::string text = "kind,station,date,y\n";
  for (int day = 1; day <= 9; ++day) {
    for (const char* station : {"hall", "roof", "yard"}) {
      text += std::string(station[0] == 'h' ? "in" : "out") + "," + station + ",2024-01-0" + std::to_string(day) +
              ",1." + std::to_string(day) + "\n";
    }
  }
  EXPECT_EQ(check(text).roles.group, "station");
}

TEST_F(CheckTest, YearsAndQuartersAreTimes) {
  const TableReport report =
      check("year,quarter,gdp\n1959,1,2710\n1959,2,2778\n1959,3,2775\n1959,4,2785\n1960,1,2847\n");
  EXPECT_EQ(report.roles.x, "year+quarter");
  EXPECT_EQ(report.roles.y, std::vector<std::string>{"gdp"});
  EXPECT_EQ(report.series.calendar.shown_step(report.series.step), "3 months");
  EXPECT_EQ(check("Month,y,Year\nJan,1,2020\nFeb,2,2020\nMar,3,2020\n").roles.x, "Year+Month");
  EXPECT_EQ(check("Year,Month,Day,y\n2020,2,28,1\n2020,2,29,4\n2020,3,1,2\n").roles.x, "Year+Month+Day");
}

// As air quality and the power of households are published.
TEST_F(CheckTest, DatesAndClocksAreTimes) {
  const auto rows = [](const std::string& header, const std::string& row, int first, int count) {
    std::string text = header + "\n";
    for (int hour = first; hour < first + count; ++hour) {
      const int day = 10 + (hour - first) / 24;
      text += fmt::format(fmt::runtime(row), fmt::arg("day", day), fmt::arg("hour", first + (hour - first) % 24),
                          fmt::arg("value", hour * 7 % 11)) +
              "\n";
    }
    return text;
  };
  for (const std::string& text :
       {rows("Date,Time,value", "{day}/03/2004,{hour:02}:00:00,{value}.5", 0, 96),
        rows("date,time,value", "2024-03-{day},{hour}:00,{value}", 0, 96),
        rows("Date;Time;CO(GT);", "{day}/03/2004;{hour:02}.00.00;{value},5;", 0, 96) + ";;;\n",
        rows("Date,Hour,load", "2024-03-{day},{hour},{value}.5", 0, 96),
        rows("Date,Hour,load", "2024-03-{day},{hour},{value}.5", 1, 96)}) {
    const TableReport report = check(text);
    EXPECT_EQ(report.roles.x, text.starts_with("d") ? "date+time" : text.find("Hour") == 5 ? "Date+Hour" : "Date+Time");
    EXPECT_EQ(report.roles.group, "") << text;
    EXPECT_EQ(report.roles.y.size(), 1U) << text;
    EXPECT_EQ(report.series.step, 3600) << text;
    EXPECT_EQ(report.series.duplicates + report.series.gaps, 0U) << text;
    EXPECT_TRUE(advises(report, "are a time together")) << text;
  }
  // Several stations; two columns without a name of time.
  std::string stations = "station,date,time,y\n";
  for (int i = 0; i < 96; ++i) {
    stations += fmt::format("{},2024-01-{:02},{:02}:30,{}\n", i % 2, 1 + i / 48, i / 2 % 24, i * 3 % 7);
  }
  EXPECT_EQ(check(stations).roles.x, "date+time");
  EXPECT_EQ(check(stations).roles.group, "station");
  std::ofstream(folder_ / "table.csv") << "tag,um,y\n2024-01-01,18:00,1\n2024-01-01,19:00,2\n";
  const Column made = read_data_table({folder_ / "table.csv"}, {.made = {"tag+um"}}).column("tag+um");
  EXPECT_EQ(made.type, ColumnType::time);
  EXPECT_EQ(made.values[1] - made.values[0], 3600);
}

// Whoever uses the time hears of it, rather than of a series for every clock.
TEST_F(CheckTest, AMistakeAmongClocksIsSaid) {
  std::string text = "date,time,y\n";
  for (int i = 0; i < 96; ++i) {
    text +=
        fmt::format("2024-01-{:02},{},{}\n", 1 + i / 24, i == 50 ? "noon" : fmt::format("{}:00", i % 24), i * 3 % 7);
  }
  const TableReport report = check(text);
  EXPECT_EQ(report.roles.x, "date+time");
  EXPECT_EQ(report.roles.group, "");
  EXPECT_TRUE(report.obstacle.ends_with("table.csv:52: column 'date+time': '2024-01-03T00:00:00Z, noon' is no time"))
      << report.obstacle;
}

// A clock says nothing more where every date has one row, and the sun rises at a time of its own.
TEST_F(CheckTest, OnlyClocksOfDatesThatComeAgainAreTimes) {
  EXPECT_EQ(check("date,time,y\n2024-01-01,7:30,1\n2024-01-02,7:35,2\n2024-01-03,7:28,4\n").roles.x, "date");
  const TableReport sun = check(
      "station,date,sunrise,y\na,2024-01-01,8:01,1\nb,2024-01-01,8:05,2\na,2024-01-02,8:00,3\nb,2024-01-02,8:04,4\n");
  EXPECT_EQ(sun.roles.x, "date");
  EXPECT_EQ(sun.roles.group, "station");
}

// The last days of a long series are the whole of a short one.
TEST_F(CheckTest, ShortSeriesBesideALongOneIsAGroup) {
  for (const int few : {6, 10}) {
    for (const char* kind : {"shop,date,sales\n", "number,date,sales\n"}) {
      std::string text = kind;
      const bool words = text.starts_with("s");
      for (int i = 0; i < 120 + few; ++i) {
        const int day = i < 120 ? i : i - few;
        text += fmt::format("{},2024-{:02}-{:02},{}.5\n", i < 120 ? (words ? "A" : "1") : (words ? "C" : "2"),
                            1 + day / 28, 1 + day % 28, i * 7 % 11);
      }
      EXPECT_EQ(check(text).roles.group, words ? "shop" : "number") << few;
      EXPECT_EQ(check(text).series.duplicates, 0U);
    }
  }
  // Some days of each kind of weather are no series.
  std::string days = "weather,date,degrees\n";
  for (int i = 0; i < 28; ++i) {
    days += fmt::format("{},2024-01-{:02},{}.5\n", i % 3 ? "sun" : "rain", 1 + i, i * 7 % 11);
  }
  EXPECT_EQ(check(days + "rain,2024-01-28,7.5\n").roles.group, "");
}

TEST_F(CheckTest, OneColumnOfNumbersLiesAlongItsRows) {
  const TableReport report = check("load\n5\n3\n4\n6\n");
  EXPECT_EQ(report.roles.x, "rows");
  EXPECT_EQ(report.roles.y, std::vector<std::string>{"load"});
}

TEST_F(CheckTest, SaysWhatToDoWithoutAnX) {
  EXPECT_TRUE(advises(check("a,b\n5,1\n3,1\n4,7\n", {.y = {"b"}}), "--x rows"));
  std::ofstream(folder_ / "table.csv") << "date,y\n1/2/2024,1\n3/4/2024,2\n";
  try {
    fail_without_x(read_data_table({folder_ / "table.csv"}));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("write them as 2024-05-31"), std::string::npos) << error.what();
  }
}

TEST_F(CheckTest, SaysWhatIsNoNumberWhereAYIsWanted) {
  std::ofstream(folder_ / "table.csv") << "date,name,profit\n2024-01-01,a,5 kg\n2024-01-02,b,7 kg\n";
  const DataTable table = read_data_table({folder_ / "table.csv"});
  const auto message = [&](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(
      message([&] { fail_without_y(table, {.x = "date"}); })
          .ends_with("table.csv:2: which column is y? None that holds numbers is left; 'name' has 'a', 'profit' "
                     "has '5 kg': --y names it"));
  EXPECT_TRUE(message([&] {
                find_roles(table, {.y = {"profit"}});
              }).ends_with("table.csv:2: column 'profit' holds words, such as '5 kg', and cannot be a y"));
  EXPECT_TRUE(advises(check("date,y\n2024-01-01,5 kg\n2024-01-02,7 kg\n"), "column 'y' holds words, such as '5 kg'"));
}

TEST_F(CheckTest, SaysWhyAColumnIsOfWords) {
  EXPECT_TRUE(advises(check("date,y\n1/2/2024,1\n3/4/2024,2\n"), "column 'date' has dates that do not say"));
  EXPECT_TRUE(advises(check("x,y\n1,1\n2,oops\n3,3\n4,4\n"), "such as 'oops'"));
}

TEST_F(CheckTest, CountsWhatCannotBeReadInsteadOfRefusingIt) {
  std::string text = "t,isig,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{}.5\n", i, i == 20 || i == 30 ? "nil" : "1.5", i * 7 % 11);
  const TableReport report = check(text);
  EXPECT_EQ(report.columns[1].type, ColumnType::number);
  EXPECT_EQ(report.columns[1].strays.count, 2U);
  EXPECT_EQ(report.columns[1].missing, 0U);
  EXPECT_TRUE(report.columns[1].first_stray.ends_with("table.csv:22"));
  EXPECT_TRUE(advises(report, "table.csv:22 is not a number"));
  EXPECT_TRUE(advises(report, "likewise 1 other"));
  EXPECT_NE(report.obstacle.find("'nil' is not a number"), std::string::npos) << report.obstacle;
  EXPECT_EQ(check(text, {.y = {"y"}}).obstacle, "");
}

TEST_F(CheckTest, SaysWhatTrainingWouldFailFor) {
  EXPECT_EQ(check("date,y\n" + days(60)).obstacle, "");
  EXPECT_NE(check("date,y\n" + days(60) + days(60)).obstacle.find("60 of 120 rows have the 'date' of another row"),
            std::string::npos);
  for (const int count : {2, 5, 10}) {  // a week for the test, one for validation, and some days before
    const std::string obstacle = check("date,y\n" + days(count)).obstacle;
    EXPECT_NE(obstacle.find("long enough"), std::string::npos) << count << ": " << obstacle;
  }
  EXPECT_EQ(check("date,y\n" + days(17)).obstacle, "");
}

TEST_F(CheckTest, JsonIsSaidToBeJson) {
  try {
    check("[{\"x\": 1}]\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("looks like JSON"), std::string::npos) << error.what();
  }
}

TEST_F(CheckTest, TellsWhatIsWrong) {
  const TableReport report = check("g,t,y,c,e\na,0,1,7,\na,1,2,7,\na,1,3,7,\nb,5,1,7,\nb,4,1,7,\nc,0,1,7,\n",
                                   {.group = "g", .x = "t", .y = {"y"}});
  EXPECT_EQ(report.series.duplicates, 1U);
  EXPECT_TRUE(report.series.first_duplicate.ends_with("table.csv:4"));
  EXPECT_EQ(report.series.out_of_order, 1U);
  EXPECT_TRUE(report.series.first_out_of_order.ends_with("table.csv:6"));
  EXPECT_EQ(report.series.single_rows, 1U);
  EXPECT_TRUE(advises(report, "column 'c' is constant"));
  EXPECT_TRUE(advises(report, "column 'e' is empty"));
  EXPECT_EQ(std::count(report.roles.y.begin(), report.roles.y.end(), "e"), 0);
}

TEST_F(CheckTest, FindsOutliers) {
  std::string text = "x,y\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
  const TableReport report = check(text + "50,1000\n");
  EXPECT_EQ(report.columns[1].outliers, 1U);
  EXPECT_TRUE(advises(report, "1 values of 'y'"));
}

TEST_F(CheckTest, GroupsInOtherUnitsAreNoOutliers) {
  std::string text = "g,x,y\n";
  for (int i = 0; i < 90; ++i) {
    text += std::string(1, "abc"[i / 30]) + "," + std::to_string(i % 30) + "," +
            std::to_string((i / 30 + 1) * (i % 7)) + (i / 30 == 2 ? "000\n" : "\n");
  }
  EXPECT_EQ(check(text).columns[2].outliers, 0U);
  EXPECT_EQ(check(text + "a,30,3000\n").columns[2].outliers, 1U);
}

TEST_F(CheckTest, RefusesRolesThatCannotBe) {
  EXPECT_THROW(check("a,b\nx,1\ny,2\n", {.group = "", .x = "a", .y = {}}), Error);
  EXPECT_THROW(check("a,b\nx,1\ny,2\n", {.group = "", .x = "", .y = {"a"}}), Error);
  EXPECT_THROW(check("a,b\nx,1\ny,2\n", {.group = "c", .x = "", .y = {}}), Error);
}

}  // namespace
}  // namespace cmanp::data
