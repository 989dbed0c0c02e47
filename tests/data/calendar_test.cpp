// Months are no fixed number of seconds.
#include "data/calendar.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "data/series.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::data {
namespace {

Calendar calendar_of(const std::vector<std::string>& times) {
  const testing::TemporaryFolder folder;
  std::ofstream file(folder / "table.csv");
  file << "x,y\n";
  for (const std::string& time : times) file << time << ",1\n";
  file.close();
  return Calendar(read_data_table({folder / "table.csv"}).column("x"));
}

TEST(Calendar, CountsTimesOnTheSameDayInMonths) {
  const Calendar firsts = calendar_of({"2023-11-01", "2023-12-01", "2024-01-01", "2024-02-01"});
  ASSERT_TRUE(firsts.months());
  const double november = firsts.place(1698796800);  // 2023-11-01
  EXPECT_EQ(firsts.shown(november), "2023-11-01T00:00:00Z");
  EXPECT_EQ(firsts.shown(november + 4), "2024-03-01T00:00:00Z");
  EXPECT_EQ(firsts.shown_shortly(november + 16), "2025-03-01");
  EXPECT_EQ(firsts.shown_step(1), "1 month");
  EXPECT_EQ(firsts.shown_step(12), "1 year");
  EXPECT_EQ(firsts.usual_seasons(1), "12");
  EXPECT_EQ(firsts.usual_seasons(3), "4");
  EXPECT_EQ(firsts.usual_seasons(12), "");
}

TEST(Calendar, LastDaysAreThoseOfEachMonth) {
  const Calendar lasts = calendar_of({"1969-11-30T12:00", "1969-12-31T12:00", "1970-02-28T12:00"});
  ASSERT_TRUE(lasts.months());
  EXPECT_EQ(lasts.shown(-2), "1969-11-30T12:00:00Z");
  EXPECT_EQ(lasts.shown(2), "1970-03-31T12:00:00Z");
  EXPECT_EQ(lasts.shown(25), "1972-02-29T12:00:00Z");
  EXPECT_EQ(lasts.shown_shortly(0), "1970-01-31T12:00:00Z");
}

TEST(Calendar, FractionsOfYearsAreMonthsAndQuarters) {
  const Calendar rounded = calendar_of({"1949", "1949.08", "1949.17", "1949.25", "1949.33", "1949.42"});
  EXPECT_EQ(rounded.usual_seasons(1.0 / 12), "12");
  EXPECT_EQ(rounded.place(1949.17), 1949 + 2.0 / 12);
  EXPECT_FALSE(rounded.keeps_values());
  const Calendar middles = calendar_of({"1958.2027", "1958.2877", "1958.3699", "1958.4548", "1958.5370"});
  EXPECT_EQ(middles.usual_seasons(1.0 / 12), "12");
  EXPECT_NEAR(middles.place(1958.4548), 1958.2027 + 3.0 / 12, 1e-9);
  EXPECT_EQ(calendar_of({"1960", "1960.25", "1960.5", "1960.75", "1961"}).usual_seasons(0.25), "4");
  for (const Calendar& other :
       {calendar_of({"1960", "1961", "1962", "1963", "1964"}), calendar_of({"0", "0.25", "0.5", "0.75"}),
        calendar_of({"1960.1", "1960.3", "1960.9"})}) {
    EXPECT_EQ(other.usual_seasons(1), "");
    EXPECT_TRUE(other.keeps_values());
  }
}

TEST(Calendar, OtherTimesAreSeconds) {
  EXPECT_FALSE(calendar_of({"2024-01-01", "2024-01-02", "2024-01-03"}).months());
  EXPECT_FALSE(calendar_of({"2024-01-01", "2024-02-01", "2024-03-02"}).months());
  EXPECT_FALSE(calendar_of({"2024-01-30", "2024-02-28", "2024-03-30"}).months());  // 2024 has a 29th of February
  EXPECT_FALSE(calendar_of({"2024-01-01T00:00", "2024-02-01T01:00"}).months());
  EXPECT_FALSE(calendar_of({"2024-01-01"}).months());
  const Calendar hours = calendar_of({"2024-01-01T00:00", "2024-01-01T01:00"});
  EXPECT_TRUE(hours.times());
  EXPECT_EQ(hours.shown_step(3600), "1 hour");
  EXPECT_EQ(hours.shown_step(900), "15 minutes");
  EXPECT_EQ(hours.shown_step(86400), "1 day");
  EXPECT_EQ(hours.shown_step(1.5), "1.5 seconds");
  EXPECT_EQ(hours.usual_seasons(3600), "24,168");
  EXPECT_EQ(hours.usual_seasons(3601), "");
  const Calendar numbers = calendar_of({"1", "2", "3"});
  EXPECT_FALSE(numbers.times());
  EXPECT_EQ(numbers.shown(2.5), "2.5");
  EXPECT_EQ(numbers.shown_step(0.5), "0.5");
  EXPECT_EQ(numbers.usual_seasons(3600), "");
}

TEST(Calendar, SeriesOfMonthsHaveEvenSteps) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "table.csv") << "month,y\n2023-01-01,1\n2023-02-01,2\n2023-03-01,3\n2023-05-01,5\n";
  const SeriesSet set = series_of(read_data_table({folder / "table.csv"}), {"", "month", {"y"}});
  EXPECT_EQ(set.step, 1);
  ASSERT_EQ(set.series.size(), 1U);
  const Values& x = set.series[0].x;
  EXPECT_EQ(x[1] - x[0], 1);
  EXPECT_EQ(x[3] - x[2], 2);
  EXPECT_EQ(set.calendar.shown(x[3]), "2023-05-01T00:00:00Z");
}

}  // namespace
}  // namespace cmanp::data
