#include "data/timestamp.hpp"

#include <gtest/gtest.h>

namespace cmanp::data {
namespace {

double seconds(const char* text) { return parse_timestamp(text).value().seconds; }

TEST(Timestamp, ReadsIso8601) {
  EXPECT_EQ(seconds("1970-01-01"), 0);
  EXPECT_EQ(seconds("1970-01-02T00:00"), 86400);
  EXPECT_EQ(seconds("2000-02-29 12:30:15.25"), 951827415.25);
  EXPECT_EQ(seconds("2000-02-29T12:30:15Z"), 951827415);
  EXPECT_EQ(seconds("2000-02-29T14:30:15+02:00"), 951827415);
  EXPECT_EQ(seconds("2000-02-29T05:00:15-0730"), 951827415);
  EXPECT_EQ(seconds("1969-12-31T23:59:59Z"), -1);
  EXPECT_FALSE(parse_timestamp("2000-02-29")->zoned);
  EXPECT_TRUE(parse_timestamp("2000-02-29T00:00Z")->zoned);
}

TEST(Timestamp, ReadsWhatCanBeNothingElse) {
  for (const char* text :
       {"2000/02/29", "Feb 29 2000", "Feb 29, 2000", "29 Feb 2000", "29-Feb-2000", "february 29 2000"}) {
    EXPECT_EQ(seconds(text), 951782400) << text;
  }
  EXPECT_EQ(seconds("2000/02/29 12:30"), 951827400);
  EXPECT_EQ(seconds("Feb 2000"), seconds("2000-02-01"));
  EXPECT_EQ(seconds("Sep. 5 2001"), seconds("2001-09-05"));
  for (const char* text : {"2000/02-29", "Feb 30 2000", "Feb", "Feb 29", "29 2000", "Febr 29 2000", "1 Feb 2 2000",
                           "mar", "May be 2000", "3 May"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Timestamp, ReadsMonthsQuartersAndWeeks) {
  for (const char* text : {"2020-04", "2020/04", "2020Q2", "2020-Q2", "2020 q2", "Q2 2020", "2020M04", "2020 Apr",
                           "Apr-20", "Apr 2020", "1-Apr-20"}) {
    EXPECT_EQ(seconds(text), seconds("2020-04-01")) << text;
  }
  EXPECT_EQ(seconds("Jan-69"), seconds("1969-01-01"));
  EXPECT_EQ(seconds("Jan-68"), seconds("2068-01-01"));
  EXPECT_EQ(seconds("2020-W01"), seconds("2019-12-30"));
  EXPECT_EQ(seconds("2021W01"), seconds("2021-01-04"));
  EXPECT_EQ(seconds("2020-W53-7"), seconds("2021-01-03"));
  for (const char* text :
       {"2020-13", "2020Q5", "2020Q", "2020-W54", "2020-W00", "2020-W5", "2020M13", "2020-W05x", "2020 "}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Timestamp, ReadsDaysAndMonthsInTheOrderThatIsTold) {
  EXPECT_EQ(seconds("31.05.2024"), seconds("2024-05-31"));
  EXPECT_EQ(seconds("1.5.2024 9:05"), seconds("2024-05-01T09:05"));
  EXPECT_FALSE(parse_timestamp("05/06/2024"));
  EXPECT_EQ(parse_timestamp("05/06/2024", base::DayOrder::month_first)->seconds, seconds("2024-05-06"));
  EXPECT_EQ(parse_timestamp("05/06/2024", base::DayOrder::day_first)->seconds, seconds("2024-06-05"));
  EXPECT_EQ(parse_timestamp("5-6-24", base::DayOrder::day_first)->seconds, seconds("2024-06-05"));
  EXPECT_FALSE(parse_timestamp("5/31/2024", base::DayOrder::day_first));
  EXPECT_EQ(parse_timestamp("5/31/2024 2:30 PM", base::DayOrder::month_first)->seconds, seconds("2024-05-31T14:30"));
  EXPECT_EQ(parse_timestamp("5/31/2024 12:30:15 am", base::DayOrder::month_first)->seconds,
            seconds("2024-05-31T00:30:15"));
  for (const char* text : {"24-05-31", "24/05/31", "24.05.31", "24-5-31T00:00"}) {
    EXPECT_EQ(parse_timestamp(text, base::DayOrder::year_first)->seconds, seconds("2024-05-31")) << text;
  }
  EXPECT_EQ(parse_timestamp("2024-05-31", base::DayOrder::year_first)->seconds, seconds("2024-05-31"));
  for (const char* text : {"4-05-31", "24-13-01", "24-01-2024", "24-01/01", "24 01 01"}) {
    EXPECT_FALSE(parse_timestamp(text, base::DayOrder::year_first)) << text;
  }
  for (const char* text : {"5/31-2024", "5/31/2024 13:30 PM", "5/31/2024 2:30 PX", "5/31/202", "5/31"}) {
    EXPECT_FALSE(parse_timestamp(text, base::DayOrder::month_first)) << text;
  }
}

TEST(Timestamp, ReadsClocksWithoutADate) {
  EXPECT_EQ(base::parse_time_of_day("00:00"), 0);
  EXPECT_EQ(base::parse_time_of_day("9:05:01.5"), 32701.5);
  EXPECT_EQ(base::parse_time_of_day("18.30.05"), 66605);
  EXPECT_EQ(base::parse_time_of_day("2:30 PM"), 52200);
  EXPECT_EQ(base::parse_time_of_day("24:00"), 86400);
  for (const char* text : {"", "18", "18.30", "18:30.05", "24:01", "12:60", "12:30 noon", "1:2", "2024-01-01"}) {
    EXPECT_FALSE(base::parse_time_of_day(text)) << text;
  }
}

TEST(Timestamp, RefusesWhatIsNone) {
  for (const char* text :
       {"", "2000", "2000-13-01", "2001-02-29", "2000-02-29T", "2000-02-29T25:00", "2000-02-29T12", "2000-02-29T12:60",
        "2000-02-29T12:30:15.", "2000-02-29T12:30+", "2000-02-29T12:30 noon", "29/02/2000", "12:30", "2000-02-29x"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Timestamp, WritesWhatItReads) {
  for (const char* text : {"1970-01-01T00:00:00Z", "2024-05-31T12:30:15Z", "2024-05-31T12:30:15.25Z",
                           "1969-12-31T23:59:59.5Z", "1900-03-01T00:00:00Z"}) {
    EXPECT_EQ(format_timestamp(seconds(text)), text);
  }
}

}  // namespace
}  // namespace cmanp::data
