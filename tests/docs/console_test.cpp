// README and docs/ do not lie: every command of a console block is run, and comes out as shown.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "docs/console_blocks.hpp"
#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = CMANP_SOURCE_DIR;
const fs::path kPrograms = fs::path(CMANP_PROGRAM).parent_path();

std::vector<fs::path> markdown_files() {
  std::vector<fs::path> files;
  for (const fs::path& folder : {kSource, kSource / "docs", kSource / "examples" / "pictures"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") files.push_back(fs::relative(entry.path(), kSource));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A reader's folder: the repository's, built, and free to write into.
void prepare(const TemporaryFolder& folder) {
  fs::create_directories(folder / "work" / "build");
  fs::create_directory_symlink(kPrograms, folder / "work" / "build" / "bin");
  for (const char* part : {"models", "examples", "docs"}) {
    fs::create_directory_symlink(kSource / part, folder / "work" / part);
  }
}

// One shell for all of a file, as a reader has it; what each step prints, and its exit code, in files aside.
std::string script_of(const std::vector<ConsoleStep>& steps, const TemporaryFolder& folder) {
  std::string script = fmt::format("cd {}/work && PATH={}:$PATH\n", folder.path().string(), kPrograms.string());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    script += fmt::format("{{ {}\n}} > ../{}.out 2>&1 < /dev/null; echo $? > ../{}.code\n", steps[i].command, i, i);
  }
  return script;
}

class ConsoleTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(ConsoleTest, RunsAsShown) {
  const std::vector<ConsoleStep> steps = read_console_steps(kSource / GetParam());
  const TemporaryFolder folder;
  prepare(folder);
  const bool training = fs::exists(kPrograms / "cmanp-train");
  run_process({"/bin/bash", folder.write("script", script_of(steps, folder)).string()},
              {.environment = {"XDG_CACHE_HOME=" + (folder / "cache").string(), "COLUMNS=100"}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string out = read_file(folder / fmt::format("{}.out", i));
    // What follows may build on what could not be done.
    if (!training && out.find("needs the training half") != std::string::npos) break;
    const std::string place = fmt::format("{}:{}: $ {}", GetParam().string(), steps[i].line, steps[i].command);
    const bool fails = std::any_of(steps[i].output.begin(), steps[i].output.end(),
                                   [](const std::string& line) { return line.starts_with("cmanp: error:"); });
    const std::string code = read_file(folder / fmt::format("{}.code", i));
    EXPECT_EQ(code == "0\n", !fails) << place << "\nexit code " << code << out;
    EXPECT_TRUE(output_matches(steps[i].output, lines_of(out)))
        << place << "\nshown:\n"
        << fmt::format("{}", fmt::join(steps[i].output, "\n")) << "\nactual:\n"
        << out;
  }
}

INSTANTIATE_TEST_SUITE_P(Markdown, ConsoleTest, ::testing::ValuesIn(markdown_files()), [](const auto& file) {
  std::string name = file.param.string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(ConsoleBlocks, ReadmeHasSome) { EXPECT_GE(read_console_steps(kSource / "README.md").size(), 5U); }

TEST(ConsoleBlocks, StepsAreRead) {
  const TemporaryFolder folder;
  const auto steps = read_console_steps(folder.write(
      "a.md", "```sh\n$ not this\n```\n```console\n$ one \\\n  two\nout\n\nmore\n$ three\n```\n$ nor this\n"));
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].command, "one \\\n  two");
  EXPECT_EQ(steps[0].line, 5U);
  EXPECT_EQ(steps[0].output, (std::vector<std::string>{"out", "", "more"}));
  EXPECT_EQ(steps[1].command, "three");
}

TEST(ConsoleBlocks, NumbersMayDifferByRoundingAlone) {
  EXPECT_TRUE(line_matches("0.5,-0.14562637,0.021958", "0.5,-0.14562701,0.021958004"));
  EXPECT_FALSE(line_matches("0.5,-0.1456", "0.5,-0.1466"));
  EXPECT_FALSE(line_matches("10000 points", "10001 points"));
  EXPECT_FALSE(line_matches("x,mean", "x,mean,std"));
  EXPECT_FALSE(line_matches("x,mean,std", "x,mean"));
}

TEST(ConsoleBlocks, EllipsisIsAnything) {
  EXPECT_TRUE(line_matches("made … points in …", "made 12 points in 3 s"));
  EXPECT_FALSE(line_matches("made … points", "made 12 rows"));
  EXPECT_TRUE(output_matches({"a", "…", "z"}, {"a", "b", "c", "z"}));
  EXPECT_TRUE(output_matches({"a", "…"}, {"a"}));
  EXPECT_FALSE(output_matches({"a", "…", "z"}, {"a", "b"}));
  EXPECT_FALSE(output_matches({}, {"a warning"}));
}

}  // namespace
}  // namespace cmanp::testing
