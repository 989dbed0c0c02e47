// Tables that are wrong, and tables that only look so.
#include "cli/cli_test.hpp"

namespace cmanp::testing {

namespace {

class BadTablesTest : public CliTest {
 protected:
  // Wherever observations are read: the place and the reason are named, and no state is written.
  void expect_bad_points(const std::string& text, const std::vector<std::string>& parts) const {
    const std::string path = folder_.write("bad.csv", text).string();
    std::vector<std::string> all = parts;
    all.push_back("bad.csv");
    const std::string before = read_file(folder_ / "state");
    folder_.write("targets.csv", "x\n0\n");
    expect_refused({"condition", "--model", model_, "--state", (*this)("state"), path}, all);
    expect_refused({"predict", "--model", model_, "--context", path, "--targets", (*this)("targets.csv")}, all);
    expect_refused({"score", "--model", model_, "--targets", path}, all);
    EXPECT_TRUE(read_file(folder_ / "state") == before) << "the state was changed";
  }

  void SetUp() override {
    folder_.write("good.csv", "x,y\n0.5,1\n-1,0.25\n");
    output_of({"condition", "--model", model_, "--state", (*this)("state"), (*this)("good.csv")});
  }
};

TEST_F(BadTablesTest, MissingAndUnknownColumns) {
  expect_bad_points("x\n1\n", {"bad.csv:1:", "'y'"});
  expect_bad_points("y\n1\n", {"bad.csv:1:", "'x'"});
  expect_bad_points("x,y,z\n1,2,3\n", {"bad.csv:1:", "z"});
  expect_bad_points("x,x,y\n1,2,3\n", {"bad.csv:1:", "twice"});
  expect_bad_points("1,2\n3,4\n", {"bad.csv:1:", "header"});
  expect_bad_points("x;y\n1;2;3\n", {"bad.csv:2:", "3 fields"});
}

TEST_F(BadTablesTest, Compressed) {
  expect_bad_points("\x1f\x8b\x08 squeezed\n", {"bad.csv: compressed by gzip", "zcat"});
}

TEST_F(BadTablesTest, FieldsThatAreNoNumbers) {
  expect_bad_points("x,y\n1,2\n3,four\n", {"bad.csv:3:", "'y'", "four"});
  expect_bad_points("x,y\n1,2\n3,nan\n", {"bad.csv:3:", "'y'"});
  expect_bad_points("x,y\ninf,2\n", {"bad.csv:2:", "'x'"});
  expect_bad_points("x,y\n-Infinity,2\n", {"bad.csv:2:", "'x'"});
  expect_bad_points("x,y\n1e999,2\n", {"bad.csv:2:", "'x'"});
  expect_bad_points("x,y\n1,\n", {"bad.csv:2:", "'y'"});
}

TEST_F(BadTablesTest, NumbersThatFloatsCanNotHold) { expect_bad_points("x,y\n1,2\n1e300,2\n", {}); }

TEST_F(BadTablesTest, UnevenRows) {
  expect_bad_points("x,y\n1,2\n3\n", {"bad.csv:3:", "1 fields", "2"});
  expect_bad_points("x,y\n1,2\n3,4,5\n", {"bad.csv:3:", "3 fields", "2"});
}

TEST_F(BadTablesTest, Empty) {
  expect_bad_points("", {"empty"});
  expect_bad_points("\n\n", {"empty"});
  folder_.write("none.csv", "x,y\n");
  expect_refused({"score", "--model", model_, "--targets", (*this)("none.csv")}, {"none.csv", "no targets"});
  EXPECT_EQ(output_of({"predict", "--model", model_, "--targets", (*this)("none.csv")}), "x,mean,std\n");
}

TEST_F(BadTablesTest, OnlyTheLastOfManyFilesIsBad) {
  const std::string bad = folder_.write("bad.csv", "x\n1\n").string();
  expect_refused({"condition", "--model", model_, "--state", (*this)("state"), (*this)("good.csv"), bad},
                 {"bad.csv:1:"});
}

TEST_F(BadTablesTest, TablesThatAreFine) {
  const auto predict = [&](const std::string& text) {
    folder_.write("context.csv", text);
    return output_of(
        {"predict", "--model", model_, "--context", (*this)("context.csv"), "--targets", (*this)("good.csv")});
  };
  const std::string expected = predict("x,y\n0.5,1\n-1,0.25\n");
  EXPECT_EQ(predict("x,y\r\n0.5,1\r\n-1,0.25\r\n"), expected);
  EXPECT_EQ(predict("\xEF\xBB\xBFx,y\n0.5,1\n-1,0.25\n"), expected);
  EXPECT_EQ(predict("x,y\n0.5,1\n-1,0.25"), expected);
  EXPECT_EQ(predict("y,x\n1,0.5\n0.25,-1\n"), expected);
  EXPECT_EQ(predict("x,y\n0.5,1\n-1,0.25\n\n\n"), expected);
  EXPECT_EQ(output_of({"predict", "--model", model_, "--context", "-", "--targets", (*this)("good.csv")},
                      "x,y\n0.5,1\n-1,0.25\n"),
            expected);
}

}  // namespace
}  // namespace cmanp::testing
