// cmanp plot: pictures with all that was asked for in them, or a message that says why there is none.
#include <cstdlib>

#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class PlotTest : public CliTest {
 protected:
  PlotTest() {
    folder_.write("context.csv", points(0, 12));
    folder_.write("truth.csv", points(0, 30));
  }

  // An SVG holds its labels as text.
  std::string svg_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"plot", "--model", model_, "-o", (*this)("picture.svg")});
    output_of(arguments);
    return read_file(folder_ / "picture.svg");
  }
};

TEST_F(PlotTest, DrawsWhatWasAskedFor) {
  const std::string bare = svg_of({});
  EXPECT_NE(bare.find("mean"), std::string::npos);
  for (const char* label : {"observed", "truth", "samples"}) EXPECT_EQ(bare.find(label), std::string::npos) << label;
  const std::string full = svg_of({"--context", (*this)("context.csv"), "--truth", (*this)("truth.csv"), "--sample",
                                   "2", "--title", "it's $(touch no) `no` \"so\""});
  for (const char* label : {"mean", "95 %", "observed", "truth", "samples", "$(touch no) `no`"}) {
    EXPECT_NE(full.find(label), std::string::npos) << label;
  }
}

TEST_F(PlotTest, WritesPng) {
  output_of({"plot", "--model", model_, "--context", (*this)("context.csv"), "--out", (*this)("picture.png")});
  EXPECT_TRUE(read_file(folder_ / "picture.png").starts_with("\x89PNG"));
}

// A line is drawn through the truth: from left to right, whatever the order of its rows.
TEST_F(PlotTest, TruthIsAFunctionInAnyOrder) {
  folder_.write("sorted.csv", "x,y\n-1,0\n0,1\n0.5,0\n1,2\n");
  folder_.write("mixed.csv", "x,y\n0.5,0\n-1,0\n1,2\n0,1\n");
  EXPECT_EQ(svg_of({"--truth", (*this)("mixed.csv")}), svg_of({"--truth", (*this)("sorted.csv")}));
}

TEST_F(PlotTest, AxesHaveTheNamesOfTheColumns) {
  folder_.write("named.csv", "seconds,celsius\n0,1\n1,2\n");
  const std::string svg =
      svg_of({"--context", (*this)("named.csv"), "--x", "seconds", "--y", "celsius", "--from", "-1", "--to", "2"});
  EXPECT_NE(svg.find("seconds"), std::string::npos);
  EXPECT_NE(svg.find("celsius"), std::string::npos);
}

TEST_F(PlotTest, FitsTheData) {
  folder_.write("far.csv", "x,y\n100,0\n110,1\n");
  const auto has_tick = [](const std::string& svg, const std::string& label) {
    return svg.find(">" + label + "<") != std::string::npos || svg.find("> " + label + "<") != std::string::npos;
  };
  EXPECT_TRUE(has_tick(svg_of({}), "-1.5"));  // what models are trained for
  const std::string fitted = svg_of({"--show", (*this)("far.csv")});
  EXPECT_TRUE(has_tick(fitted, "104"));
  EXPECT_FALSE(has_tick(fitted, "112"));
  EXPECT_TRUE(has_tick(svg_of({"--show", (*this)("far.csv"), "--from", "80"}), "85"));
  folder_.write("one.csv", "x,y\n7,0\n");
  EXPECT_TRUE(has_tick(svg_of({"--show", (*this)("one.csv")}), "7"));
}

TEST_F(PlotTest, DrawsFromAState) {
  output_of({"condition", "--model", model_, "--state", (*this)("a.state"), (*this)("context.csv")});
  EXPECT_NE(svg_of({"--state", (*this)("a.state"), "--from", "-1", "--to", "3"}).find("mean"), std::string::npos);
}

// A full disk, and a link that somebody planted: the old picture stays whole, and nobody's file is written to.
TEST_F(PlotTest, ReplacesAPictureWholeOrNotAtAll) {
  const std::vector<std::string> arguments{
      "plot", "--model", model_, "--context", (*this)("context.csv"), "--out", (*this)("picture.png")};
  folder_.write("victim", "precious");
  std::filesystem::create_symlink("victim", folder_ / "picture.png.unfinished");
  output_of(arguments);
  EXPECT_EQ(read_file(folder_ / "victim"), "precious");
  const std::string whole = read_file(folder_ / "picture.png");
  EXPECT_TRUE(whole.ends_with("IEND\xae\x42\x60\x82"));
  const std::size_t entries = folder_.entries();
  expect_refused(arguments, {"picture.png", "File too large"}, {.file_size_limit = 1000});
  EXPECT_TRUE(read_file(folder_ / "picture.png") == whole);
  EXPECT_EQ(folder_.entries(), entries);
}

TEST_F(PlotTest, SaysHowARunBecomesAModel) {
  std::filesystem::create_directory(folder_ / "run");
  folder_.write("run/settings.json", "{}");
  expect_refused({"plot", "--model", (*this)("run"), "-o", (*this)("picture.svg")}, {"a training run; `cmanp export"});
}

TEST_F(PlotTest, APaperTakesAPdf) {
  output_of({"plot", "--model", model_, "-o", (*this)("picture.pdf")});
  EXPECT_TRUE(read_file(folder_ / "picture.pdf").starts_with("%PDF"));
}

TEST_F(PlotTest, RefusesWhatItCannotDraw) {
  expect_refused({"plot", "--model", model_, "--out", (*this)("picture.jpeg")}, {".png, .svg or .pdf"});
  expect_refused({"plot", "--model", model_, "--from", "2", "--to", "2", "--out", (*this)("p.png")}, {"--from"});
  expect_refused({"plot", "--model", model_, "--context", "-", "--out", (*this)("p.png")}, {"standard input"});
  expect_refused({"plot", "--model", model_, "--out", (*this)("none/p.png")}, {"none"});
  output_of({"init", "--dim-x", "2", "-o", (*this)("plane.cmanp")});
  expect_refused({"plot", "--model", (*this)("plane.cmanp"), "--out", (*this)("p.png")}, {"one variable", "have 2"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.png"));
}

}  // namespace
}  // namespace cmanp::testing
