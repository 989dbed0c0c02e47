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
    EXPECT_FALSE(std::filesystem::exists(folder_ / "picture.svg.unfinished"));
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

TEST_F(PlotTest, DrawsFromAState) {
  output_of({"condition", "--model", model_, "--state", (*this)("a.state"), (*this)("context.csv")});
  EXPECT_NE(svg_of({"--state", (*this)("a.state"), "--from", "-1", "--to", "3"}).find("mean"), std::string::npos);
}

TEST_F(PlotTest, RefusesWhatItCannotDraw) {
  expect_refused({"plot", "--model", model_, "--out", (*this)("picture.jpeg")}, {".png or .svg"});
  expect_refused({"plot", "--model", model_, "--from", "2", "--to", "2", "--out", (*this)("p.png")}, {"--from"});
  expect_refused({"plot", "--model", model_, "--context", "-", "--out", (*this)("p.png")}, {"standard input"});
  expect_refused({"plot", "--model", model_, "--out", (*this)("none/p.png")}, {"none"});
  output_of({"init", "--dim-x", "2", "-o", (*this)("plane.cmanp")});
  expect_refused({"plot", "--model", (*this)("plane.cmanp"), "--out", (*this)("p.png")}, {"one variable", "have 2"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.png"));
}

}  // namespace
}  // namespace cmanp::testing
