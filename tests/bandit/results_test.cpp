// Games in a file: what a kill leaves is whole, what is wrong is named, and standings are what the games say.
#include "bandit/results.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bandit/standings.hpp"
#include "bandit/tournament.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::bandit {
namespace {

using testing::error_message;

const Tournament kSmall{.method = "", .deltas = {0.5, 0.9}, .seeds = 3, .rounds = 100, .threads = 2};

// Knows delta.
class Oracle : public Player {
 public:
  explicit Oracle(double delta) : delta_(delta) {}
  std::size_t choose(std::span<const double> context) override { return best_arm(context, delta_); }
  void learn(std::span<const double>, std::size_t, double) override {}

 private:
  double delta_;
};

// Few games are measured by as many of the uniform player as many are: else a row of few is a percentage of something
// else.
TEST(Results, ComeBackAndGoOn) {
  const testing::TemporaryFolder folder;
  const std::size_t measuring = 2 * kMeasuringGames;  // of each delta
  const auto path = folder / "games.jsonl";
  {
    ResultsFile results(path);
    play_uniform(kSmall, results);
    EXPECT_EQ(results.games().size(), measuring);
  }
  // A kill in the middle of a line.
  std::string text = testing::read_file(path);
  text.resize(text.size() - 10);
  folder.write("games.jsonl", text);
  ResultsFile results(path);
  ASSERT_EQ(results.games().size(), measuring - 1);
  Tournament uniform = kSmall;
  uniform.method = kUniform;
  uniform.seeds = kMeasuringGames;
  EXPECT_EQ(missing_games(uniform, results).size(), 1U);
  play_uniform(kSmall, results);
  EXPECT_EQ(read_results(path).size(), measuring);
}

TEST(Results, WhatIsNoGameIsNamed) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("games.jsonl", "{}\n");
  EXPECT_NE(error_message([&] { ResultsFile results(path); }).find("games.jsonl:1: not a game"), std::string::npos);
  folder.write("games.jsonl", R"({"method":"a","delta":1e999,"seed":1,"rounds":1,"last_regret":0,"regret":[]})"
                              "\n");
  EXPECT_NE(error_message([&] { read_results(path); }).find("games.jsonl:1: not a game"), std::string::npos);
}

// Somebody else's file, with or without a last line's end, stays as it is to the byte.
TEST(Results, AnotherFileIsRefusedAndLeftAlone) {
  const testing::TemporaryFolder folder;
  for (const std::string text :
       {"my notes", "{\"note\":1}", "my notes\nmore", "{\"method\":1}\n", "\n", "x,y\n1,2\n"}) {
    const auto path = folder.write("notes", text);
    EXPECT_NE(error_message([&] { ResultsFile results(path); }).find("notes:1: not a game"), std::string::npos) << text;
    EXPECT_EQ(testing::read_file(path), text);
  }
}

GameResult some_game(double regret) {
  return {"a",
          0.5,
          1,
          100,
          0,
          std::vector<double>(GameResult::kPieces, regret),
          std::vector<double>(GameResult::kPieces, 0.0)};
}

TEST(Results, OnlyGrow) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "games.jsonl";
  ResultsFile(path).append(some_game(1));
  const std::string one = testing::read_file(path);
  { const ResultsFile only_read(path); }
  EXPECT_EQ(testing::read_file(path), one);
  // Whole but for its line's end.
  folder.write("games.jsonl", one.substr(0, one.size() - 1));
  ResultsFile(path).append(some_game(2));
  EXPECT_TRUE(testing::read_file(path).starts_with(one));
  EXPECT_EQ(read_results(path).size(), 2U);
  // Cut within.
  folder.write("games.jsonl", one + one.substr(0, 30));
  EXPECT_EQ(read_results(path).size(), 1U);
  EXPECT_EQ(testing::read_file(path).size(), one.size() + 30);
  ResultsFile(path).append(some_game(2));
  EXPECT_EQ(read_results(path).size(), 2U);
  EXPECT_TRUE(testing::read_file(path).starts_with(one));
}

TEST(Results, NoGameIsKeptThatIsNoNumber) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "games.jsonl";
  ResultsFile results(path);
  EXPECT_NE(error_message([&] { results.append(some_game(NAN)); }).find("no finite number"), std::string::npos);
  EXPECT_EQ(testing::read_file(path), "");
  EXPECT_TRUE(results.games().empty());
}

TEST(Results, AnEndlessLineIsNoGame) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("games.jsonl", "{\"method\":\"" + std::string(3 << 20, 'a'));
  EXPECT_NE(error_message([&] { read_results(path); }).find("games.jsonl:1: not a game: a line longer"),
            std::string::npos);
}

TEST(Standings, AreInPercentOfTheUniformPlayer) {
  ResultsFile results("");
  play_uniform(kSmall, results);
  Tournament oracle = kSmall;
  oracle.method = "oracle";
  oracle.deltas = {0.9};
  play_all(
      oracle, [](std::uint32_t) { return std::make_unique<Oracle>(0.9); }, results, [](std::size_t) {});
  const std::vector<Standing> all = standings(results.games());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].regret.mean, 100);
  EXPECT_DOUBLE_EQ(all[1].regret.mean, 100);
  EXPECT_GT(all[0].regret.deviation, 0);
  EXPECT_EQ(all[2].method, "oracle");
  EXPECT_EQ(all[2].games, 3U);
  EXPECT_DOUBLE_EQ(all[2].regret.mean, 0);
  EXPECT_EQ(all[2].curve.size(), GameResult::kPieces);
}

TEST(Standings, NeedTheUniformPlayer) {
  ResultsFile results("");
  Tournament oracle = kSmall;
  oracle.method = "oracle";
  play_all(
      oracle, [](std::uint32_t) { return std::make_unique<Oracle>(0.9); }, results, [](std::size_t) {});
  EXPECT_NE(error_message([&] { standings(results.games()); }).find("no games of the uniform player"),
            std::string::npos);
}

}  // namespace
}  // namespace cmanp::bandit
