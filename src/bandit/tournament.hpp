// One method through all games: every delta, every order of the rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bandit/results.hpp"

namespace cmanp::bandit {

struct Tournament {
  std::string method;  // its name in results
  std::vector<double> deltas{0.7, 0.9, 0.95, 0.99, 0.995};
  std::size_t seeds = 50;
  std::size_t rounds = 2000;
  std::size_t threads = 1;
};

// Told the number of games that are over, never from two threads at once.
using Finished = std::function<void(std::size_t done)>;

struct Job {
  double delta = 0;
  std::uint32_t seed = 0;
};

// The games of the tournament that `results` has not.
std::vector<Job> missing_games(const Tournament& tournament, const ResultsFile& results);

constexpr const char* kUniform = "uniform";
constexpr std::size_t kMeasuringGames = 50;  // the published number

std::unique_ptr<Player> uniform_player(std::uint32_t seed);

// The uniform player's games that those of the tournament are measured by, as far as they are missing: kMeasuringGames
// for each delta at least, however few the others are, so that all are measured alike.
void play_uniform(const Tournament& tournament, ResultsFile& results);

// Plays the games that are missing in `results`, each by a player of its own; several at once.
void play_all(const Tournament& tournament, const std::function<std::unique_ptr<Player>(std::uint32_t seed)>& make,
              ResultsFile& results, const Finished& finished);

}  // namespace cmanp::bandit
