// Games as a table: each method's regret for each delta, in percent of what the uniform player's comes to on average.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bandit/results.hpp"

namespace cmanp::bandit {

// Mean and (population) deviation over games.
struct Spread {
  double mean = 0, deviation = 0;
};

struct Standing {
  std::string method;
  double delta = 0;
  std::size_t games = 0;
  Spread regret;                // cumulative, in percent of the uniform player's mean
  Spread last_regret;           // of a round in the last quarter, likewise
  std::vector<double> curve;    // mean cumulative regret after each piece of the game, as it is
  std::vector<double> seconds;  // mean of a round in each piece; the least over games, as others disturb
  std::size_t rounds = 0;
};

// In the order in which methods first appear, then by delta. Throws Error where a delta has no uniform games of the
// same length.
std::vector<Standing> standings(const std::vector<GameResult>& games);

}  // namespace cmanp::bandit
