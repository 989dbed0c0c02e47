// The program explains itself: help by name, pages, words that complete a command; and no flag takes what is no number.
#include <sstream>

#include "cli/cli_test.hpp"
#include "support/only_numbers.hpp"

namespace cmanp::testing {
namespace {

class HelpTest : public CliTest {
 protected:
  std::vector<std::string> completed(std::vector<std::string> words) const {
    words.insert(words.begin(), {"help", "--complete"});
    std::istringstream lines(output_of(words));
    std::vector<std::string> result;
    for (std::string line; std::getline(lines, line);) result.push_back(line);
    return result;
  }

  static bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

TEST_F(HelpTest, VerbsByName) {
  EXPECT_EQ(output_of({"help", "predict"}), output_of({"predict", "--help"}));
  EXPECT_EQ(output_of({"help", "events", "stream"}), output_of({"events", "stream", "--help"}));
  EXPECT_EQ(output_of({"help"}), output_of({"--help"}));
}

TEST_F(HelpTest, LinesEnd) {
  for (const std::string verb : {"predict", "complete", "score", "plot", "init"}) {
    std::istringstream lines(output_of({verb, "--help"}));
    for (std::string line; std::getline(lines, line) && line != "Example:";) EXPECT_LE(line.size(), 110U) << line;
  }
}

TEST_F(HelpTest, CompletesVerbsFlagsAndValues) {
  EXPECT_EQ(completed({"pre"}), std::vector<std::string>{"predict"});
  EXPECT_TRUE(has(completed({""}), "train"));  // the other half's
  EXPECT_TRUE(has(completed({"events", ""}), "stream"));
  EXPECT_TRUE(has(completed({"events", ""}), "baselines"));
  EXPECT_EQ(completed({"predict", "--tar"}), std::vector<std::string>{"--targets"});
  EXPECT_TRUE(has(completed({"events", "stream", "--"}), "--horizon"));
  EXPECT_EQ(completed({"bandit", "run", "--method", ""}),
            (std::vector<std::string>{"linucb", "neural-linear", "uniform"}));
  EXPECT_EQ(completed({"bandit", "run", "--policy", "t"}), std::vector<std::string>{"thompson"});
  EXPECT_TRUE(completed({"predict", "--targets", ""}).empty());  // a file: the shell knows them
}

TEST_F(HelpTest, EveryVerbHasAPage) {
  output_of({"help", "--man", (*this)("man")});
  const auto expect_page = [&](const auto& self, const nlohmann::json& verb) -> void {
    std::string name = verb["command"];
    std::replace(name.begin(), name.end(), ' ', '-');
    const std::string page = read_file(folder_ / "man" / (name + ".1"));
    EXPECT_NE(page.find(".SH NAME"), std::string::npos) << name;
    for (const auto& option : verb["options"]) {
      for (const std::string flag : option["flags"]) {
        if (flag == "--man") continue;  // for the build, not for people
        std::string escaped;
        for (const char c : flag) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
        EXPECT_NE(page.find(escaped), std::string::npos) << name << " " << flag;
      }
    }
    if (verb.contains("verbs")) {
      for (const auto& below : verb["verbs"]) self(self, below);
    }
  };
  expect_page(expect_page, json_of({"help", "--json"}));
}

TEST_F(HelpTest, NoFlagTakesWhatIsNoNumber) {
  std::size_t checked = 0;
  expect_only_numbers(json_of({"help", "--json"}), checked, {CMANP_PROGRAM, (*this)("none")});
  EXPECT_GT(checked, 60U);
}

}  // namespace
}  // namespace cmanp::testing
