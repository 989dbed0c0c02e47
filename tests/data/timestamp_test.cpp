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
  for (const char* text : {"2000/02-29", "Feb 30 2000", "Feb", "Feb 29", "29 2000", "Febr 29 2000", "29 Feb 00",
                           "1 Feb 2 2000", "mar", "May be 2000", "3 May"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
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
