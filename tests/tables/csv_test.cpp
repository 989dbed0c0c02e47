#include "tables/csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <thread>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::tables {
namespace {

using testing::error_message;
using testing::TemporaryFolder;
using Values = std::vector<double>;

class Csv : public ::testing::Test {
 protected:
  Table read(std::string_view content, Rows rows = Rows::points, std::size_t dim_x = 1, std::size_t dim_y = 1) {
    return read_table(folder_.write("data.csv", content), dim_x, dim_y, rows);
  }

  // The error's message, with the folder taken off its beginning.
  std::string message(std::string_view content, Rows rows = Rows::points, std::size_t dim_x = 1,
                      std::size_t dim_y = 1) {
    const std::string text = error_message([&] { read(content, rows, dim_x, dim_y); });
    const std::string prefix = folder_.path().string() + "/";
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }

  TemporaryFolder folder_;
};

TEST_F(Csv, ReadsPoints) {
  const Table table = read("x,y\n1,2\n-3.5,4e2\n");
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.x, (Values{1, -3.5}));
  EXPECT_EQ(table.y, (Values{2, 400}));
}

TEST_F(Csv, ReadsColumnsInAnyOrder) {
  const Table table = read("y2,x1,y1,x2\n1,2,3,4\n5,6,7,8\n", Rows::points, 2, 2);
  EXPECT_EQ(table.x, (Values{2, 4, 6, 8}));
  EXPECT_EQ(table.y, (Values{3, 1, 7, 5}));
}

TEST_F(Csv, NamesOfItsOwnGoByTheirOrder) {
  const Table table = read("seconds,celsius\n1,2\n3,4\n");
  EXPECT_EQ(table.x, (Values{1, 3}));
  EXPECT_EQ(table.y, (Values{2, 4}));
  EXPECT_EQ(read("seconds\n5\n", Rows::targets).x, (Values{5}));
  EXPECT_EQ(message("seconds,celsius,room\n1,2,3\n"),
            "data.csv:1: unknown column 'seconds' (the model needs x, y; --x and --y name the columns to read)");
  EXPECT_EQ(message("a\x1b[2Jb,c\n1,oops\noops,1\n").find('\x1b'), std::string::npos);
  EXPECT_EQ(message("a\x1b[2Jb,c\noops,1\n").find('\x1b'), std::string::npos);
  EXPECT_EQ(message("time,time\n1,2\n"),
            "data.csv:1: unknown column 'time' (the model needs x, y; --x and --y name the columns to read)");
}

TEST_F(Csv, ColumnsByNamePassOverOthers) {
  const std::string rows =
      "id,where,time,celsius,note\n1,\"a, b\",2024-01-01,20.5,\n2,\"say \"\"hi, "
      "you\"\"\",2024-01-02,21,x\n3,c,2024-01-03,,\n";
  const Reading reading{Missing::skip, {"time"}, {"celsius"}};
  const Table table = read_table(folder_.write("many.csv", rows), 1, 1, Rows::points, reading);
  EXPECT_EQ(table.x, (Values{1704067200, 1704153600}));
  EXPECT_EQ(table.y, (Values{20.5, 21}));
  EXPECT_EQ(table.skipped, 1);
  EXPECT_EQ(read_table(folder_ / "many.csv", 1, 1, Rows::targets, reading).rows, 3);
  const auto refused = [&](const Reading& wanted) {
    const std::string text = error_message([&] { read_table(folder_ / "many.csv", 1, 1, Rows::points, wanted); });
    return text.substr(text.find("many.csv"));
  };
  EXPECT_EQ(refused({Missing::refuse, {"time"}, {"celsios"}}),
            "many.csv:1: no column 'celsios'; did you mean 'celsius'?");
  EXPECT_EQ(refused({Missing::refuse, {}, {"celsius"}}), "many.csv:1: no column 'x' (the model needs x, y)");
  EXPECT_EQ(refused({Missing::refuse, {"time", "id"}, {}}),
            "many.csv:1: 2 columns are named as x, and the model has 1");
  EXPECT_EQ(refused({Missing::refuse, {"time"}, {"celsius"}}),
            "many.csv:4: column 'celsius': empty; --missing skip leaves such rows out");
  EXPECT_EQ(refused({Missing::refuse, {"id"}, {"where"}}), "many.csv:2: column 'where': 'a, b' is not a number");
}

TEST_F(Csv, TabsAndSemicolonsPartColumnsToo) {
  for (const char* content :
       {"x\ty\n1.5\t2\n-3\t4,25\n", "x;y\n1,5;2\n-3;4.25\n", "s;c\r\n\"1,5\";2,0\r\n-3,0;4,25\r\n"}) {
    const Table table = read(content);
    EXPECT_EQ(table.x, (Values{1.5, -3})) << content;
    EXPECT_EQ(table.y, (Values{2, 4.25})) << content;
  }
  // An empty field is one, and does not take the next one's number.
  EXPECT_EQ(message("x\ty\n1\t\t7\n"), "data.csv:2: column 'y': empty; --missing skip leaves such rows out");
  const Reading named{Missing::skip, {"x"}, {"z"}};
  const Table gaps =
      read_table(folder_.write("gaps.tsv", "x\ty\tz\n1\t\t7\n2\t\"a\tb\"\t8\n3\t\t\n"), 1, 1, Rows::points, named);
  EXPECT_EQ(gaps.y, (Values{7, 8}));
  EXPECT_EQ(gaps.skipped, 1);
  EXPECT_EQ(read_table(folder_.write("first.tsv", "note\tx\ty\n\t1\t2\na\t3\t4\n"), 1, 1, Rows::points,
                       {Missing::refuse, {"x"}, {"y"}})
                .x,
            (Values{1, 3}));
  EXPECT_EQ(read("\tx\ty\n0\t1\t2\n").x, Values{1});  // numbers of rows, as pandas writes them
  EXPECT_EQ(message("x;y\n1;2,3,4\n"), "data.csv:2: column 'y': '2,3,4' is not a number");
  EXPECT_EQ(message("x;y\n1;2;3\n"), "data.csv:2: 3 fields, the header has 2");
}

TEST_F(Csv, TakesTheManyWaysThatTablesAreWritten) {
  for (const char* content : {
           "x,y\r\n1,2\r\n3,4\r\n",                 // CRLF
           "\xEF\xBB\xBFx,y\n1,2\n3,4\n",           // a byte-order mark
           "x,y\n1,2\n3,4",                         // no final newline
           "x,y\n1,2\n3,4\n\n \r\n\n",              // blank lines at the end
           "\nx,y\n\n1,2\n\n3,4\n",                 // and elsewhere
           " x\t, y \n 1 ,\t2\n3\t,4 \n",           // blanks around fields
           "\"x\",\"y\"\n\"1\",\"2\"\n\" 3\",4\n",  // quotes
           "x1,y1\n+1,+2e0\n3.0,4.\n",              // numbered names, plus signs
       }) {
    const Table table = read(content);
    EXPECT_EQ(table.x, (Values{1, 3})) << content;
    EXPECT_EQ(table.y, (Values{2, 4})) << content;
  }
}

TEST_F(Csv, ReadsEveryDoubleExactly) {
  const Table table = read("x,y\n0.1,1.7976931348623157e308\n5e-324,-0.0\n123456789.123456789,1E-5\n");
  EXPECT_EQ(table.x, (Values{0.1, 5e-324, 123456789.123456789}));
  EXPECT_EQ(table.y, (Values{1.7976931348623157e308, -0.0, 1e-5}));
}

TEST_F(Csv, AHeaderAloneIsATableOfNoRows) {
  EXPECT_EQ(read("x,y\n").rows, 0);
  EXPECT_EQ(read("x,y").rows, 0);
}

TEST_F(Csv, TargetsNeedNoY) {
  EXPECT_EQ(read("x\n1\n2\n", Rows::targets).x, (Values{1, 2}));
  EXPECT_TRUE(read("x\n1\n2\n", Rows::targets).y.empty());
  // One that is there may be anything: a table of observations is also one of questions.
  const Table table = read("x,y\n1,5\n2,\n3,unknown\n", Rows::targets);
  EXPECT_EQ(table.x, (Values{1, 2, 3}));
  EXPECT_TRUE(table.y.empty());
}

TEST_F(Csv, KnowsQuestionsFromPoints) {
  CsvReader reader(folder_.write("q.csv", "x,y1,y2\n1,2,3\n4,,\n5\n6, ,\"\"\n7,8,9\n"), 1, 2, Rows::questions);
  const std::vector<std::pair<double, Values>> expected{{1, {2, 3}}, {4, {}}, {5, {}}, {6, {}}, {7, {8, 9}}};
  Row row;
  std::uint64_t line = 1;
  for (const auto& [x, y] : expected) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row.line, ++line);
    EXPECT_EQ(Values(row.x.begin(), row.x.end()), Values{x});
    EXPECT_EQ(Values(row.y.begin(), row.y.end()), y);
  }
  EXPECT_FALSE(reader.next(row));
  EXPECT_FALSE(reader.next(row));
}

TEST_F(Csv, ATableOfQuestionsNeedsNoYColumn) {
  CsvReader reader(folder_.write("q.csv", "x\n1\n"), 1, 1, Rows::questions);
  EXPECT_FALSE(reader.has_y());
  Row row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_TRUE(row.y.empty());
}

TEST_F(Csv, RefusesHalfAnAnswer) {
  EXPECT_EQ(message("x,y1,y2\n1,2,\n", Rows::questions, 1, 2),
            "data.csv:2: some y are empty: a point has all of them, a question none");
  EXPECT_EQ(message("x,y1,y2\n1,2\n", Rows::questions, 1, 2), "data.csv:2: 2 fields, the header has 3");
  EXPECT_EQ(message("x,y\n,2\n", Rows::questions), "data.csv:2: column 'x': empty");
  EXPECT_EQ(message("y,x\n5\n", Rows::questions), "data.csv:2: 1 fields, the header has 2");
}

TEST_F(Csv, RefusesFilesThatAreNoTables) {
  EXPECT_EQ(message(""), "data.csv: empty: the first line must name the columns (x, y)");
  EXPECT_EQ(message("\n \n"), "data.csv: empty: the first line must name the columns (x, y)");
  const std::string none = (folder_ / "none").string();
  EXPECT_EQ(error_message([&] { CsvReader(none, 1, 1, Rows::points); }),
            none + ": cannot open: No such file or directory");
  EXPECT_EQ(error_message([&] { CsvReader(folder_.path(), 1, 1, Rows::points); }),
            folder_.path().string() + ": cannot read: Is a directory");
}

TEST_F(Csv, RefusesHeadersThatDoNotFitTheModel) {
  EXPECT_EQ(message("x\n1\n"), "data.csv:1: no column 'y' (the model needs x, y)");
  EXPECT_EQ(message("y\n1\n"), "data.csv:1: no column 'x' (the model needs x, y)");
  EXPECT_EQ(message("x,z\n1,2\n"),
            "data.csv:1: unknown column 'z' (the model needs x, y; --x and --y name the columns to read)");
  EXPECT_EQ(message("x,y,\n1,2,3\n"),
            "data.csv:1: unknown column '' (the model needs x, y; --x and --y name the columns to read)");
  EXPECT_EQ(message("x,y,x1\n1,2,3\n"), "data.csv:1: column 'x1' is there twice");
  EXPECT_EQ(message("x,y\n1,2\n", Rows::points, 2, 1),
            "data.csv:1: unknown column 'x' (the model needs x1, x2, y; --x and --y name the columns to read)");
  for (const std::string name : {"x0", "x01", "x3", "x-1", "x1.0", "X1", "x18446744073709551617", "xx"}) {
    EXPECT_EQ(
        message("x1,x2,y," + name + "\n", Rows::points, 2, 1),
        "data.csv:1: unknown column '" + name + "' (the model needs x1, x2, y; --x and --y name the columns to read)");
  }
  EXPECT_EQ(
      message("z\n", Rows::points, 500, 1),
      "data.csv:1: unknown column 'z' (the model needs x1, x2, …, x500, y; --x and --y name the columns to read)");
  EXPECT_EQ(message("1,2\n3,4\n"), "data.csv:1: no header: the first line must name the columns (x, y)");
  EXPECT_EQ(message("2024-01-01,2\n"), "data.csv:1: no header: the first line must name the columns (x, y)");
}

// As R and pandas write their tables.
TEST_F(Csv, RowNumbersWithoutANameArePassedOver) {
  EXPECT_EQ(read("\"\",\"time\",\"Nile\"\n\"1\",1871,1120\n").y, (Values{1120}));
  EXPECT_EQ(read(",0\n0,112\n1,118\n").y, (Values{112, 118}));  // unless they are all there is
}

TEST_F(Csv, NamesMayHaveSeparatorsAndRemarksStandBeforeThem) {
  EXPECT_EQ(read("# by a logger\n\"when, in s\",\"T (°C)\"\n1,2\n").y, (Values{2}));
  EXPECT_EQ(read("Zeit;Temperatur, innen\n1;2,5\n").y, (Values{2.5}));
}

TEST_F(Csv, WordsForNothingAreMissing) {
  for (const std::string word : {"NA", "null", "-", "N/A", "\"NA\""}) {
    EXPECT_NE(message("x,y\n1," + word + "\n").find("; --missing skip leaves such rows out"), std::string::npos)
        << word;
  }
  EXPECT_EQ(message("x,y\n5/6/2024,1\n"),
            "data.csv:2: column 'x': '5/6/2024' does not say whether the day or the month comes first: write it as "
            "2024-05-31");
}

TEST_F(Csv, RefusesWhatIsNoFiniteNumber) {
  EXPECT_EQ(message("x,y\n1,2\n\nabc,4\n"), "data.csv:4: column 'x': 'abc' is not a number");
  for (const std::string text : {"1.5abc", "1 2", "0x10", "--1", "+-1", "+", "e5", "\"1", "1;2", "1\r2"}) {
    EXPECT_NE(message("x,y\n1," + text + "\n").find("is not a number"), std::string::npos) << text;
  }
  for (const std::string text : {"inf", "-Infinity", "+inf"}) {
    EXPECT_EQ(message("x,y\n1,2\n1," + text + "\n"), "data.csv:3: column 'y': not a finite number") << text;
  }
  for (const std::string text : {"nan", "NaN", "-nan", "\"nan\""}) {
    const std::string what = message("x,y\n1,2\n1," + text + "\n");
    EXPECT_TRUE(what.starts_with("data.csv:3: column 'y': no")) << what;
    EXPECT_TRUE(what.ends_with("; --missing skip leaves such rows out")) << what;
  }
  EXPECT_EQ(message("x,y\n1,1e999\n"), "data.csv:2: column 'y': '1e999' is too large or too small");
  EXPECT_EQ(message("x,y\n1,\n"), "data.csv:2: column 'y': empty; --missing skip leaves such rows out");
}

TEST_F(Csv, RefusesUnevenRows) {
  EXPECT_EQ(message("x,y\n1,2\n1,2,3\n"), "data.csv:3: 3 fields, the header has 2");
  EXPECT_EQ(message("x,y\n1,2,\n"), "data.csv:2: 3 fields, the header has 2");
  EXPECT_EQ(message("x,y\n1\n"), "data.csv:2: 1 fields, the header has 2");
}

TEST_F(Csv, NeverRepeatsRawBytes) {
  EXPECT_EQ(message(std::string_view("x,y\n1,\0\x1b[31m\xff\n", 14)),
            "data.csv:2: column 'y': '\\x00\\x1b[31m\\xff' is not a number");
  EXPECT_EQ(message("x,y\n1," + std::string(1000, 'z') + "\n"),
            "data.csv:2: column 'y': '" + std::string(60, 'z') + "…' is not a number");
  EXPECT_EQ(message("\xff\xfex,y\n"),
            "data.csv:1: unknown column '\\xff\\xfex' (the model needs x, y; --x and --y name the columns to read)");
}

TEST_F(Csv, RefusesEndlessLines) {
  EXPECT_EQ(message("x,y\n1,2\n" + std::string(300'000, '1')), "data.csv:3: a line of more than 262144 bytes");
  EXPECT_EQ(message(std::string(300'000, 'x')), "data.csv:1: a line of more than 262144 bytes");
}

TEST_F(Csv, RowsMayLieAcrossTheEndOfTheBuffer) {
  std::string content = "x,y\n";
  Values x, y;
  for (int i = 0; i < 100'000; ++i) {
    x.push_back(i * 0.37);
    y.push_back(i * -1e-7);
    content += fmt::format("{},{}\n", x.back(), y.back());
  }
  ASSERT_GT(content.size(), 4 * 262'144U);
  const Table table = read(content);
  EXPECT_EQ(table.x, x);
  EXPECT_EQ(table.y, y);
}

class CsvPipe : public ::testing::Test {
 protected:
  CsvPipe() {
    EXPECT_EQ(::pipe(ends_), 0);
    ::alarm(60);  // a reader that waits for more than it needs fails, and does not hang
  }
  ~CsvPipe() override {
    ::alarm(0);
    finish();
    ::close(ends_[0]);
  }
  void send(std::string_view text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // Until the reader has taken all that was sent.
  void wait_until_read() const {
    for (int left = 1; left > 0; std::this_thread::yield()) ASSERT_EQ(::ioctl(ends_[0], FIONREAD, &left), 0);
  }
  void finish() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(CsvPipe, GivesEachRowAsSoonAsItIsThere) {
  send("x,y\n1,2\n3,4\n5,");
  CsvReader reader(ends_[0], "pipe", 1, 1, Rows::points);
  Row row;
  EXPECT_TRUE(reader.buffered());
  ASSERT_TRUE(reader.next(row));
  EXPECT_TRUE(reader.buffered());
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.x[0], 3);
  EXPECT_FALSE(reader.buffered());
  send("6\n\n");
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.y[0], 6);
  EXPECT_FALSE(reader.buffered()) << "a blank line is not a row";
  send("7,8");
  finish();
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 6);
  EXPECT_EQ(reader.bytes_read(), 20);
  EXPECT_TRUE(reader.buffered());
  EXPECT_FALSE(reader.next(row));
}

TEST_F(CsvPipe, TakesTextThatComesByteByByte) {
  std::thread sender([&] {
    for (const char byte : std::string_view("\xEF\xBB\xBFx,y\r\n1.25,-2e3\r\n3,4")) send({&byte, 1});
    finish();
  });
  CsvReader reader(ends_[0], "pipe", 1, 1, Rows::points);
  Row row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.x[0], 1.25);
  EXPECT_EQ(row.y[0], -2000);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.y[0], 4);
  EXPECT_FALSE(reader.next(row));
  sender.join();
}

TEST_F(CsvPipe, WaitsOnDescriptorsThatDoNotBlock) {
  ASSERT_EQ(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
  std::thread sender([&] {
    send("x,");
    wait_until_read();
    send("y\n1,2\n");
    finish();
  });
  CsvReader reader(ends_[0], "pipe", 1, 1, Rows::points);
  Row row;
  EXPECT_TRUE(reader.next(row));
  EXPECT_FALSE(reader.next(row));
  sender.join();
}

TEST_F(CsvPipe, GoesOnBehindALineThatIsTooLong) {
  std::thread sender([&] {
    send("x,y\n1,2\n" + std::string(700'000, '1') + "\n3,4\n" + std::string(300'000, '1'));
    finish();
  });
  CsvReader reader(ends_[0], "pipe", 1, 1, Rows::points);
  Row row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(error_message([&] { reader.next(row); }), "pipe:3: a line of more than 262144 bytes");
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.line, 4);
  EXPECT_EQ(row.y[0], 4);
  EXPECT_EQ(error_message([&] { reader.next(row); }), "pipe:5: a line of more than 262144 bytes");
  EXPECT_FALSE(reader.next(row));
  sender.join();
}

TEST_F(CsvPipe, NamesItselfAndTheLineInErrors) {
  send("x,y\n1,2\n3,four\n");
  CsvReader reader(ends_[0], "standard input", 1, 1, Rows::points);
  Row row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(error_message([&] { reader.next(row); }), "standard input:3: column 'y': 'four' is not a number");
}

}  // namespace
}  // namespace cmanp::tables
