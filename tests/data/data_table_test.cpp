// Tables of any columns: types found and told, what is missing, what is refused and where.
#include "data/data_table.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>

#include "data/known_columns.hpp"
#include "data/packed_table.hpp"
#include "data/role_columns.hpp"
#include "data/series.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::data {
namespace {

class DataTableTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    return folder_.path() / name;
  }

  DataTable read(const std::string& text, const TableOptions& options = {}) const {
    return read_data_table({write("table.csv", text)}, options);
  }

  // The message without the folder's name.
  std::string error_of(const std::function<void()>& work) const {
    try {
      work();
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string folder = folder_.path().string() + "/";
      for (std::size_t at; (at = message.find(folder)) != std::string::npos;) message.erase(at, folder.size());
      return message;
    }
    return "no error";
  }

  std::string error_of(const std::string& text, const TableOptions& options = {}) const {
    return error_of([&] { read(text, options); });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(DataTableTest, FindsTypes) {
  const DataTable table =
      read("station,when,temperature\nOslo,2024-01-01,1.5\nRome,2024-01-02T12:00,-2e1\nOslo,2024-01-03,3\n");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.column("station").type, ColumnType::category);
  EXPECT_EQ(table.column("station").values, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(table.column("station").categories, (std::vector<std::string>{"Oslo", "Rome"}));
  EXPECT_EQ(table.column("when").type, ColumnType::time);
  EXPECT_EQ(table.column("when").values[1] - table.column("when").values[0], 1.5 * 86400);
  EXPECT_EQ(table.column("temperature").values, (std::vector<double>{1.5, -20, 3}));
}

TEST_F(DataTableTest, TypesCanBeTold) {
  const DataTable table = read("line,y\n7,1\n9,2\n7,3\n", {.types = {{"line", ColumnType::category}}});
  EXPECT_EQ(table.column("line").values, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(table.column("line").categories, (std::vector<std::string>{"7", "9"}));
}

TEST_F(DataTableTest, WhatIsMissingStaysMissing) {
  const DataTable table = read("x,y\n1,\n2,NA\n3,NaN\n4,null\n5,0.5\n");
  EXPECT_EQ(table.column("y").missing, 4U);
  EXPECT_TRUE(std::isnan(table.column("y").values[2]));
  EXPECT_EQ(table.column("y").values[4], 0.5);
}

TEST_F(DataTableTest, ReadsDelimitersQuotesAndLineEnds) {
  const DataTable table = read("\xEF\xBB\xBF\"the name\";value\r\n\r\n\"a; \"\"b\"\"\nc\";1\r\nplain ; 2");
  EXPECT_EQ(table.column("the name").categories, (std::vector<std::string>{"a; \"b\"\nc", "plain"}));
  EXPECT_EQ(table.column("value").values, (std::vector<double>{1, 2}));
  EXPECT_TRUE(table.where(0).ends_with("table.csv:3"));
  EXPECT_TRUE(table.where(1).ends_with("table.csv:5"));
}

// As spreadsheets on old Macintoshes write them.
TEST_F(DataTableTest, LinesMayEndWithACarriageReturnAlone) {
  const DataTable table = read("Sold by day\rx,\"a, b\",y\r# a pause\r1,p,2\r\r3,q,4\r");
  EXPECT_EQ(table.column("y").values, (std::vector<double>{2, 4}));
  EXPECT_TRUE(table.where(1).ends_with("table.csv:6"));
}

TEST_F(DataTableTest, ReadsTabs) {
  const DataTable table = read("a\tb\n1\t2\n3\t\n");
  EXPECT_EQ(table.column("b").missing, 1U);
}

TEST_F(DataTableTest, ReadsSeveralFilesWithColumnsInAnyOrder) {
  const auto first = write("first.csv", "x,y\n1,10\n"), second = write("second.csv", "y,x\n20,2\n");
  const DataTable table = read_data_table({first, second});
  EXPECT_EQ(table.column("x").values, (std::vector<double>{1, 2}));
  EXPECT_TRUE(table.where(1).ends_with("second.csv:2"));
  const auto third = write("third.csv", "x,z\n1,2\n");
  EXPECT_EQ(error_of([&] {
              read_data_table({first, third});
            }),
            "third.csv:1: no column 'y' (did you mean 'x'?); it has x, z");
}

TEST_F(DataTableTest, ReadsGzippedFiles) {
  const std::string text = "x,y\n1,2\n3,4\n", path = (folder_.path() / "table.csv.gz").string();
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(read_data_table({path}).column("y").values, (std::vector<double>{2, 4}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  EXPECT_EQ(error_of([&] { read_data_table({path}); }), "table.csv.gz: is cut short");
}

TEST_F(DataTableTest, OnlyColumnsThatAreWanted) {
  const DataTable table = read("x,note,y\n1,\"unread\",2\n", {.columns = {"y", "x"}});
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "y");
}

TEST_F(DataTableTest, SaysWhatIsWrongAndWhere) {
  std::string mostly_numbers = "y\n";
  for (int i = 0; i < 20; ++i) mostly_numbers += "1\n";
  EXPECT_EQ(error_of(mostly_numbers + "oops\n"),
            "table.csv:22: column 'y': 'oops' is not a number (a field is missing where it is empty, NA, NaN, null, "
            "None or -)");
  std::string late = "y\n";
  for (int i = 0; i < 1500; ++i) late += "1\n";
  EXPECT_EQ(error_of(late + "oops\n"),
            "table.csv:1502: column 'y': 'oops' is not a number (a field is missing where it is empty, NA, NaN, null, "
            "None or -)");
  EXPECT_EQ(error_of("x,y\n1,inf\n"), "table.csv:2: column 'y': 'inf' is not a finite number");
  EXPECT_EQ(error_of("x,y\n1,1e999\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n10,1\n"),
            "table.csv:2: column 'y': '1e999' is not a number (a field is missing where it is empty, NA, NaN, null, "
            "None or -)");
  EXPECT_EQ(error_of("x,y\n1,2\n1,2,3\n"), "table.csv:3: 3 fields, the header has 2");
  EXPECT_EQ(error_of("2024-01-01,2\n2024-01-02,4\n"), "table.csv:1: no header: the first line must name the columns");
  EXPECT_EQ(error_of("1,2\n3,4\n"), "table.csv:1: no header: the first line must name the columns");
  EXPECT_EQ(error_of(""), "table.csv: empty: the first line must name the columns");
  EXPECT_EQ(error_of("x,y\n1,\"open\n2,3\n"), "table.csv:2: a quotation mark that is never closed");
  EXPECT_EQ(error_of("t\n2024-01-01T00:00Z\n2024-01-01T01:00\n"),
            "table.csv:3: column 't': '2024-01-01T01:00' names no zone, and times before it do");
  EXPECT_EQ(error_of("x,temperature\n1,2\n", {.columns = {"temprature"}}),
            "table.csv:1: no column 'temprature' (did you mean 'temperature'?); it has x, temperature");
  EXPECT_EQ(error_of([&] { read_data_table({folder_.path() / "none.csv"}); }), "none.csv: no such file");
}

// Who uses the column refuses it then.
TEST_F(DataTableTest, FieldsThatCannotBeReadAreMissingWhereThatIsAskedFor) {
  std::string text = "t,other,y\n";
  for (int i = 0; i < 1200; ++i) {
    text += std::to_string(i) + (i == 7 || i == 1100 ? ",nil," : ",3.5,") + (i == 1150 ? "inf\n" : "1\n");
  }
  const DataTable table = read(text, {.lenient = true});
  const Column& other = table.column("other");
  EXPECT_EQ(other.strays.count, 2U);
  EXPECT_EQ(other.missing, 2U);
  EXPECT_TRUE(std::isnan(other.values[7]) && std::isnan(other.values[1100]));
  EXPECT_EQ(error_of([&] { check_readable(table, other); }),
            "table.csv:9: column 'other': 'nil' is not a number (a field is missing where it is empty, NA, NaN, null, "
            "None or -)");
  EXPECT_EQ(error_of([&] { column_of_values(table, "y"); }),
            "table.csv:1152: column 'y': 'inf' is not a finite number");
  EXPECT_EQ(error_of([&] { series_of(table, {"", "other", {"t"}}); }).substr(0, 28), "table.csv:9: column 'other':");
  EXPECT_EQ(error_of([&] { find_known(table, {"other"}); }).substr(0, 28), "table.csv:9: column 'other':");
  EXPECT_EQ(error_of([&] {
              pack_table(table, {"", "t", {}}, folder_.path() / "packed");
            }).substr(0, 12),
            "table.csv:9:");
  const DataTable times = read("t,y\n2024-01-01T00:00Z,1\n2024-01-01T01:00,2\n", {.lenient = true});
  EXPECT_EQ(times.column("t").strays.why, "names no zone, and times before it do");
  std::string clocks = "date,time,y\n";
  for (int i = 0; i < 40; ++i)
    clocks +=
        (i == 39 ? "Total" : "2024-01-0" + std::to_string(1 + i / 20)) + ",0:" + std::to_string(10 + i % 20) + ",1\n";
  EXPECT_EQ(read(clocks, {.lenient = true}).column("date+time").strays.field, "Total");
}

TEST_F(DataTableTest, EveryColumnHasANameOfItsOwn) {
  const DataTable table = read(",y,y,,column1\n1,2,3,4,5\n");
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"column1_", "y", "y.2", "column4", "column1"}));
  EXPECT_EQ(read("x,,y\n1,2,3\n", {.columns = {"column2"}}).columns[0].values, (std::vector<double>{2}));
}

TEST_F(DataTableTest, DelimitersAtTheEndOfLinesAreNothing) {
  EXPECT_EQ(read("x,y,\n1,2,\n3,4,\n").columns.size(), 2U);
  EXPECT_EQ(read("x,y,\n1,2\n3,4\n").column("y").values, (std::vector<double>{2, 4}));
  EXPECT_EQ(read("x,y\n1,2,,\n3,4,\n").column("y").values, (std::vector<double>{2, 4}));
  EXPECT_EQ(error_of("x,y\n1,2,,5\n"), "table.csv:2: 4 fields, the header has 2");
}

TEST_F(DataTableTest, RemarksArePassedOver) {
  const DataTable table = read("# made on Monday, by a logger\n#\nx,y\n1,2\n# a pause\n3,4\n");
  EXPECT_EQ(table.column("y").values, (std::vector<double>{2, 4}));
  EXPECT_TRUE(table.where(1).ends_with("table.csv:6"));
  EXPECT_EQ(read("# by a logger\n#x,y\n1,2\n3,4\n").column("x").values, (std::vector<double>{1, 3}));
  // A name may begin so.
  EXPECT_EQ(read("id,y\n#1,2\n#2,4\n").column("id").categories, (std::vector<std::string>{"#1", "#2"}));
  EXPECT_EQ(
      error_of("Sold by day\nx,y\n1,2\n"),
      "table.csv:2: 2 fields, the header has 1; lines above the names of the columns are remarks where they begin "
      "with #");
  EXPECT_EQ(error_of("\xFF\xFEx"), "table.csv: is text in UTF-16: save it as UTF-8");
  EXPECT_EQ(error_of("# nothing\n"), "table.csv: empty: the first line must name the columns");
}

TEST_F(DataTableTest, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(read("x,y\n1,\"1,234\"\n2,\"12,345,678.5\"\n3,999\n").column("y").values,
            (std::vector<double>{1234, 12345678.5, 999}));
  EXPECT_EQ(read("x;y\n1;1,5\n2;1.234,25\n3;-7\n").column("y").values, (std::vector<double>{1.5, 1234.25, -7}));
  EXPECT_EQ(read("x;y\n1;1,234\n2;2,5\n").column("y").values, (std::vector<double>{1.234, 2.5}));
  EXPECT_EQ(read("x,y\n1,\"1,5\"\n2,\"2,25\"\n").column("y").values, (std::vector<double>{1.5, 2.25}));
  EXPECT_EQ(read("x,y\n1,12.5%\n2,3 %\n").column("y").values, (std::vector<double>{12.5, 3}));
  EXPECT_EQ(read("x,y\n1,$5\n2,\"$1,200.50\"\n3,7€\n").column("y").values, (std::vector<double>{5, 1200.5, 7}));
  EXPECT_EQ(read("x,y\n1,-\n2,#N/A\n3,.\n4,?\n5,-1\n").column("y").missing, 4U);
  EXPECT_EQ(read("x,y\n1,(5)\n2,\"($1,200.50)\"\n3,$(3)\n4,(4%)\n").column("y").values,
            (std::vector<double>{-5, -1200.5, -3, -4}));
  EXPECT_EQ(read("x;y\n1;(5,5)\n2;7\n").column("y").values, (std::vector<double>{-5.5, 7}));
  for (const char* word : {"1.2.3", "(-5)", "()", "(a)", "((5))", "(5"}) {
    EXPECT_EQ(read("x,y\n1," + std::string(word) + "\n2,b\n").column("y").categories[0], word);
    double value = 0;
    EXPECT_FALSE(parse_number(word, {}, value)) << word;
  }
}

TEST_F(DataTableTest, TimesAsPeopleWriteThem) {
  const auto days = [&](const std::string& text) {
    const Column t = read("t\n" + text).columns[0];
    EXPECT_EQ(t.type, ColumnType::time) << text;
    std::vector<double> found;
    for (const double value : t.values) found.push_back((value - t.values[0]) / 86400);
    return found;
  };
  EXPECT_EQ(days("12/31/2019\n1/1/2020\n"), (std::vector<double>{0, 1}));
  EXPECT_EQ(days("31/12/2019\n1/1/2020\n"), (std::vector<double>{0, 1}));
  // Either could be: even steps tell.
  EXPECT_EQ(days("01/10/2020\n01/11/2020\n01/12/2020\n01/01/2021\n01/02/2021\n"),
            (std::vector<double>{0, 31, 61, 92, 123}));
  EXPECT_EQ(days("10/01/2020\n11/01/2020\n12/01/2020\n01/01/2021\n02/01/2021\n"),
            (std::vector<double>{0, 31, 61, 92, 123}));
  EXPECT_EQ(days("2020Q1\n2020Q2\n"), (std::vector<double>{0, 91}));
  EXPECT_EQ(days("20200228\n20200229\n20200301\n20200302\n20200303\n"), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(days("202001\n202002\n202003\n202004\n202005\n"), (std::vector<double>{0, 31, 60, 91, 121}));
  EXPECT_EQ(days("240130\n240131\n240201\n240202\n240203\n"), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(read("day,y\n240101,5\n240102,6\n240103,5\n240104,6\n240105,7\n").columns[0].type, ColumnType::time);
  EXPECT_EQ(read("id,y\n240101,5\n240102,6\n240103,5\n240104,6\n240105,7\n").columns[0].type, ColumnType::number);
  EXPECT_EQ(read("id\n240101\n240917\n241103\n240222\n240305\n").columns[0].type, ColumnType::number);
  EXPECT_EQ(read("t\n1/2/2020\n3/4/2020\n").columns[0].type, ColumnType::category);
  EXPECT_EQ(read("timestamp\n1577836800000\n1577923200000\n").columns[0].values[1], 1577923200);
  EXPECT_EQ(read("timestamp\n1577836800\n1577923200\n").columns[0].type, ColumnType::time);
  EXPECT_EQ(read("dollars\n1577836800\n1577923200\n").columns[0].type, ColumnType::number);
  EXPECT_EQ(read("sold\n202001\n202099\n202003\n202004\n202005\n").columns[0].type, ColumnType::number);
}

// 24-01-02 is the second of January to some, and the 24th to others: the steps of all tell.
TEST_F(DataTableTest, DatesMayBeginWithAYearOfTwoDigits) {
  const auto first_and_last = [&](int days, const char* separator, bool year_first) {
    std::string text = "t\n";
    for (int i = 0; i < days; ++i) {
      const int month = 1 + i / 31, day = 1 + i % 31;  // January, and the first of February
      const std::string year = "24", other = (day < 10 ? "0" : "") + std::to_string(day);
      const std::string middle = std::string(separator) + "0" + std::to_string(month) + separator;
      text += (year_first ? year + middle + other : other + middle + year) + "\n";
    }
    const Column t = read(text).columns[0];
    EXPECT_EQ(t.type, ColumnType::time) << text;
    return std::pair(t.values[0], t.values.back());
  };
  constexpr double kFirst = 19723 * 86400.0;
  for (const char* separator : {"-", "/", "."}) {
    for (const bool year_first : {true, false}) {
      EXPECT_EQ(first_and_last(40, separator, year_first), std::pair(kFirst, kFirst + 39 * 86400)) << separator;
    }
  }
  // A few days in a row are not the 24th of January in many years.
  EXPECT_EQ(first_and_last(5, "-", true), std::pair(kFirst, kFirst + 4 * 86400));
  EXPECT_EQ(read("t\n20/11/23\n21/11/23\n22/11/23\n").columns[0].values[1], 19682 * 86400.0);
  // Hours do not all come out alike in fractions of a day.
  std::string hours = "t\n";
  for (int i = 0; i < 72; ++i) {
    hours += "24/01/0" + std::to_string(1 + i / 24) + " " + std::to_string(i % 24) + ":20\n";
  }
  EXPECT_EQ(read(hours).columns[0].values[71], kFirst + 71 * 3600 + 1200);
  // They ascend in one of the orders.
  EXPECT_EQ(read("t\n20/02/03\n20/03/09\n20/07/01\n21/01/02\n").columns[0].values[0], 18295 * 86400.0);
  // The last days of years, or some days of 2031; the firsts of months, or the 24th of all months of 2001.
  for (const char* text : {"t\n31/12/20\n31/12/21\n31/12/22\n", "t\n24-01-01\n24-02-01\n24-03-01\n",
                           "t\n05/03/20\n05/03/21\n05/03/22\n"}) {
    EXPECT_EQ(read(text).columns[0].type, ColumnType::category) << text;
    EXPECT_TRUE(is_ambiguous_date(read(text).columns[0].categories[0])) << text;
  }
  const DataTable wide = read("name,24-01-30,24-01-31,24-02-01,24-02-02\na,1,2,3,4\n");
  EXPECT_EQ(wide.column("time").values[3], kFirst + 32 * 86400);
}

TEST_F(DataTableTest, ColumnsAreMadeOfOthers) {
  const DataTable table = read("a,b,y\np,1,5\np,2,6\nq,1,7\n", {.made = {"a+b", "rows", "a+c"}});
  EXPECT_EQ(table.column("a+b").categories, (std::vector<std::string>{"p, 1", "p, 2", "q, 1"}));
  EXPECT_EQ(table.column("rows").values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(table.find("a+c"), nullptr);
  const DataTable some = read("year,month,y\n2020,1,5\n2020,2,6\n", {.columns = {"year+month", "y"}});
  EXPECT_EQ(some.column("year+month").type, ColumnType::time);
  EXPECT_EQ(error_of("year,month\n2020,1\n2020,13\n", {.made = {"year+month"}}),
            "table.csv:3: column 'year+month': '2020, 13' is no time");
}

TEST_F(DataTableTest, ALineWithoutEndIsRefused) {
  EXPECT_EQ(error_of("x\n" + std::string(3 << 20, '1')),
            "table.csv:2: a record of more than 1048576 bytes; is this a table?");
}

// A row that is a series: its fields become rows, and what is missing is none.
TEST_F(DataTableTest, TurnsRowsThatAreSeries) {
  const DataTable table = read(
      "\"Country Name\",\"Country Code\",\"1960\",\"1961\",\"1962\",\"1963\",\n"
      "\"Norway\",\"NOR\",1,2,3,4,\n"
      "\"Egypt, Arab Rep.\",\"EGY\",..,,7,8,\n");
  ASSERT_EQ(table.rows(), 6U);
  EXPECT_EQ(table.column("Country Name").categories, (std::vector<std::string>{"Norway", "Egypt, Arab Rep."}));
  EXPECT_EQ(table.column("year").values, (std::vector<double>{1960, 1961, 1962, 1963, 1962, 1963}));
  EXPECT_EQ(table.column("value").values, (std::vector<double>{1, 2, 3, 4, 7, 8}));
  EXPECT_EQ(table.find("series"), nullptr);  // the country's name is enough
  EXPECT_EQ(table.turned(), (std::pair<std::string, std::string>{"1960", "1963"}));
  EXPECT_TRUE(table.where(5).ends_with(":3"));
}

// Days whose month comes first, as only the last of them says; no column by itself tells the series apart.
TEST_F(DataTableTest, NamesASeriesByAllThatTellsItApart) {
  const DataTable table = read(
      "Province/State,Country/Region,Lat,1/10/20,1/11/20,1/12/20,1/13/20\n"
      ",Chad,15.4,0,0,1,2\nHubei,China,30.9,3,4,5,6\nAnhui,China,31.8,7,8,9,9\n,Anhui,0,1,1,1,1\n");
  ASSERT_EQ(table.rows(), 16U);
  EXPECT_EQ(table.column("series").categories,
            (std::vector<std::string>{"Chad", "Hubei, China", "Anhui, China", "Anhui"}));
  EXPECT_EQ(table.column("time").type, ColumnType::time);
  EXPECT_EQ(table.column("time").values[1] - table.column("time").values[0], 86400);
  EXPECT_EQ(table.column("value").values[4], 3);
}

TEST_F(DataTableTest, TakesManyNumberedColumnsBehindANameForSteps) {
  const auto numbered = [](const std::string& first, int count, const std::string& row) {
    std::string header = "V1", fields = row;
    for (int i = 2; i < count + 2; ++i) {
      header += ",V" + std::to_string(i);
      fields += "," + std::to_string(10 * i);
    }
    return first + header + "\n" + fields + "\n";
  };
  const DataTable table = read(numbered("", 30, "H1"));
  ASSERT_EQ(table.rows(), 30U);
  EXPECT_EQ(table.column("V1").categories, std::vector<std::string>{"H1"});
  EXPECT_EQ(table.column("step").values[29], 31);
  EXPECT_EQ(table.column("value").values[29], 310);
  EXPECT_EQ(read(numbered("", 20, "H1")).rows(), 1U);  // features of a row, for all that anybody can tell
  EXPECT_EQ(read(numbered("", 30, "5")).rows(), 1U);
  EXPECT_EQ(read("year,1960,note\n1,2,3\n").rows(), 1U);
}

TEST_F(DataTableTest, RefusesWhatIsWrongInASeriesWithItsLine) {
  EXPECT_EQ(error_of("a,1960,1961,1962,1963\nx,1,2,3,4\ny,1,2,3\n"), "table.csv:3: 4 fields, the header has 5");
  EXPECT_EQ(error_of("a,1960,1961,1962,1963\nx,1,2,3,4\ny,1,inf,3,4\n"),
            "table.csv:3: column 'value': 'inf' is not a finite number");
  EXPECT_EQ(error_of("a,1960,1961,1962,1963\nx,1,2,3,4\n", {.columns = {"what"}}),
            "table.csv:1: no column 'what'; it has a, year, value");
}

TEST_F(DataTableTest, PassesOverTitles) {
  const DataTable table = read(
      "\"Data Source\",\"World, Development Indicators\"\n\n\"Last Updated\",2024-05-30\n\n"
      "name,a,b,c,d,e\nx,1,2,3,4,5\ny,6,7,8,9,10\n");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column("e").values, (std::vector<double>{5, 10}));
  EXPECT_EQ(table.where(0).substr(table.where(0).rfind(':')), ":6");
  EXPECT_EQ(read("Temperatures of two places\nyear;north;south\n1;2;3\n").column("south").values[0], 3);
  EXPECT_EQ(error_of("a,b\n1,2,3\n"), "table.csv:2: 3 fields, the header has 2");
}

TEST_F(DataTableTest, ReadsFieldsThatBlanksPart) {
  const DataTable table = read("  year   anomaly\n  1850     -0.42\n  1851\t  0.1\n\n  1852  0.2  \n");
  EXPECT_EQ(table.column("year").values, (std::vector<double>{1850, 1851, 1852}));
  EXPECT_EQ(table.column("anomaly").values, (std::vector<double>{-.42, .1, .2}));
  EXPECT_EQ(read("air passengers\n112\n118\n").column("air passengers").values, (std::vector<double>{112, 118}));
  EXPECT_EQ(error_of("a b\n1 2\n1 2 3\n"), "table.csv:3: 3 fields, the header has 2");
}

}  // namespace
}  // namespace cmanp::data
