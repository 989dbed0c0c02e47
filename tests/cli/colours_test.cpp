// Colours on standard error: where it is a terminal that has them, and nowhere else.
#include <unistd.h>

#include "cli/cli_test.hpp"
#include "support/on_terminal.hpp"

namespace cmanp::testing {
namespace {

constexpr const char* kRed = "cmanp: \033[31merror:\033[0m ";
constexpr const char* kYellow = "cmanp: \033[33mwarning:\033[0m ";
constexpr const char* kDim = "cmanp: \033[2mnote:\033[0m ";

class ColoursTest : public CliTest {
 protected:
  ColoursTest() { folder_.write("far.csv", "x\n100\n"); }

  static std::string said_on_terminal(const std::vector<std::string>& arguments, const char* term,
                                      const char* no_color = nullptr) {
    return on_terminal(command(arguments), STDERR_FILENO, term, no_color);
  }

  static void expect_has(const std::string& text, const std::string& wanted) {
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
  }

  std::vector<std::string> far_and_empty() const {
    return {"predict", "--model", std::string(CMANP_SOURCE_DIR) + "/models/gp-absolute-nano.cmanp", "--targets",
            (*this)("far.csv")};
  }
  std::vector<std::string> failing() const { return {"inspect", (*this)("none")}; }
};

TEST_F(ColoursTest, OneWordHasItsColourOnATerminal) {
  const std::string said = said_on_terminal(far_and_empty(), "xterm-256color");
  expect_has(said, std::string(kYellow) + "beyond what the model knows");
  expect_has(said, std::string(kDim) + "no observations");
  expect_has(said_on_terminal(failing(), "xterm"), kRed + (*this)("none"));
  expect_has(said_on_terminal({"tarin"}, "xterm"), std::string(kRed) + "unknown verb tarin");
  expect_has(said_on_terminal(failing(), "xterm", ""), kRed);  // an empty NO_COLOR asks for nothing
}

TEST_F(ColoursTest, NoneWhereTheyAreNotWanted) {
  const auto expect_plain = [](const std::string& said) {
    expect_has(said, "cmanp: error: ");
    EXPECT_EQ(said.find('\033'), std::string::npos) << said;
  };
  expect_plain(said_on_terminal(failing(), "xterm", "1"));
  expect_plain(said_on_terminal(failing(), "dumb"));
  expect_plain(said_on_terminal(failing(), nullptr));
  expect_plain(cmanp(failing(), {.environment = {"TERM=xterm", "NO_COLOR="}}).err);  // a pipe
}

}  // namespace
}  // namespace cmanp::testing
