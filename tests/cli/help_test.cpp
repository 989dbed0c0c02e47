// The program explains itself: help by name, pages, words that complete a command; and no flag takes what is no number.
#include <set>
#include <sstream>

#include "cli/cli_test.hpp"

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

// Of every verb, every option that takes a value and no free text.
class NumberTest : public HelpTest {
 protected:
  // Of every so-manieth flag: to start the training half takes a while, and its flags come from one table.
  void expect_only_numbers(const std::string& program, const nlohmann::json& verb, std::size_t& checked,
                           std::size_t every = 1) const {
    for (const auto& option : verb["options"]) {
      if (option["flags"].empty() || option["value"].is_null() || is_text(option["value"])) continue;
      if (++checked % every != 0) continue;
      const std::string flag = option["flags"][0];
      for (const std::string value : {"nan", "inf"}) {
        std::vector<std::string> arguments{program};
        std::istringstream words(verb["command"].get<std::string>());
        words >> arguments[0];
        arguments[0] = program;
        for (std::string word; words >> word;) arguments.push_back(word);
        add_required(verb, arguments);
        arguments.insert(arguments.end(), {flag, value});
        const ProcessResult result = run_process(arguments);
        EXPECT_EQ(result.exit_code, 2) << verb["command"] << " " << flag << " " << value << ": " << result.err;
        EXPECT_NE(result.err.find(flag), std::string::npos) << verb["command"] << " " << flag << ": " << result.err;
      }
    }
    if (!verb.contains("verbs")) return;
    for (const auto& below : verb["verbs"]) expect_only_numbers(program, below, checked, every);
  }

 private:
  static bool is_text(const std::string& type) {
    static const std::set<std::string> text{"FILE", "FOLDER", "FOLDER|FILE", "FILE|RUN", "RUN",   "RUN|FILE",
                                            "TEXT", "NAME",   "PATTERN",     "VERB",     "COLUMN"};
    return text.contains(type);
  }

  // Flags that are read late are complained of late: after what is missing.
  void add_required(const nlohmann::json& verb, std::vector<std::string>& arguments) const {
    for (const auto& option : verb["options"]) {
      if (!option["required"].get<bool>() || !is_text(option["value"])) continue;
      if (!option["flags"].empty()) arguments.push_back(option["flags"][0]);
      arguments.push_back((*this)("none"));
    }
  }
};

TEST_F(NumberTest, NoFlagTakesWhatIsNone) {
  std::size_t checked = 0;
  expect_only_numbers(CMANP_PROGRAM, json_of({"help", "--json"}), checked);
  EXPECT_GT(checked, 60U);
}

TEST_F(NumberTest, NorDoesOneOfTheTrainingHalf) {
  if (!has_training_half()) GTEST_SKIP() << "built without the training half";
  const std::string program = std::filesystem::path(CMANP_PROGRAM).replace_filename("cmanp-train").string();
  std::size_t checked = 0;
  // Not the verbs of both halves, which the other test has; nor all settings of every verb: train has them.
  const ProcessResult all = run_process({program, "help", "--json"});
  const nlohmann::json verbs = nlohmann::json::parse(all.out)["verbs"];
  for (const auto& verb : verbs) {
    if (verb["command"] == "cmanp train" || verb["command"] == "cmanp models") {
      expect_only_numbers(program, verb, checked, 6);
    }
  }
  EXPECT_GT(checked, 20U);
}

}  // namespace
}  // namespace cmanp::testing
