// No verb writes over what it reads, by whatever name or link; updates in place that are meant work.
#include "cli/cli_test.hpp"

namespace cmanp::testing {
namespace {

class OwnOutputTest : public CliTest {
 protected:
  OwnOutputTest() {
    folder_.write("points.csv", points(0, 12));
    output_of({"condition", "--model", model_, "--state", (*this)("a.state"), (*this)("points.csv")});
    std::filesystem::copy_file(folder_ / "a.state", folder_ / "b.state");
  }

  void expect_kept(const std::string& file, const std::vector<std::string>& arguments) const {
    const std::string before = read_file(folder_ / file);
    ASSERT_FALSE(before.empty()) << file;
    expect_refused(arguments, {"is read as well"});
    EXPECT_EQ(read_file(folder_ / file), before) << arguments[0];
  }
};

TEST_F(OwnOutputTest, ModelsTablesAndStatesAreKept) {
  expect_kept("small.cmanp", {"condition", "--model", model_, "--state", model_, (*this)("points.csv")});
  expect_kept("points.csv", {"condition", "--model", model_, "--state", (*this)("points.csv"), (*this)("points.csv")});
  expect_kept("small.cmanp", {"stream", "--model", model_, "--state", model_});
  expect_kept("b.state", {"merge", (*this)("a.state"), (*this)("b.state"), "-o", (*this)("b.state")});
  expect_kept("small.cmanp", {"import", model_, "-o", model_});
  for (const std::string flag : {"--context", "--show", "--truth"}) {
    std::filesystem::copy_file(folder_ / "points.csv", folder_ / "points.png",
                               std::filesystem::copy_options::overwrite_existing);
    expect_kept("points.png", {"plot", "--model", model_, flag, (*this)("points.png"), "-o", (*this)("points.png")});
  }
}

TEST_F(OwnOutputTest, LinksAreSeenThrough) {
  std::filesystem::create_symlink(folder_ / "points.csv", folder_ / "soft.state");
  std::filesystem::create_hard_link(folder_ / "points.csv", folder_ / "hard.state");
  for (const std::string link : {"soft.state", "hard.state"}) {
    expect_kept("points.csv", {"condition", "--model", model_, "--state", (*this)(link), (*this)("points.csv")});
  }
}

TEST_F(OwnOutputTest, StatesGoOnInPlace) {
  output_of({"condition", "--model", model_, "--from", (*this)("a.state"), "--state", (*this)("a.state"),
             (*this)("points.csv")});
  output_of({"merge", (*this)("a.state"), (*this)("b.state"), "-o", (*this)("a.state")});
  EXPECT_EQ(json_of({"inspect", (*this)("a.state"), "--json"})["points"], 36);
}

}  // namespace
}  // namespace cmanp::testing
