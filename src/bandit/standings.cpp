#include "bandit/standings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

#include "bandit/tournament.hpp"

namespace cmanp::bandit {
namespace {

template <class Value>
Spread spread_of(const std::vector<const GameResult*>& games, const Value& value) {
  double sum = 0, squares = 0;
  for (const GameResult* game : games) sum += value(*game);
  const double mean = sum / static_cast<double>(games.size());
  for (const GameResult* game : games) squares += (value(*game) - mean) * (value(*game) - mean);
  return {mean, std::sqrt(squares / static_cast<double>(games.size()))};
}

std::vector<const GameResult*> games_of(const std::vector<GameResult>& games, const std::string& method, double delta,
                                        std::size_t rounds) {
  std::vector<const GameResult*> found;
  for (const GameResult& game : games) {
    if (game.method == method && game.delta == delta && game.rounds == rounds) found.push_back(&game);
  }
  return found;
}

Spread percent(Spread spread, double of) { return {100 * spread.mean / of, 100 * spread.deviation / of}; }

Standing standing_of(const std::vector<const GameResult*>& games, const std::vector<const GameResult*>& uniform) {
  const auto total = [](const GameResult& game) { return game.total(); };
  const auto last = [](const GameResult& game) { return game.last_regret; };
  const GameResult& first = *games.front();
  Standing standing{first.method, first.delta, games.size(), {}, {}, {}, {}, first.rounds};
  standing.regret = percent(spread_of(games, total), spread_of(uniform, total).mean);
  standing.last_regret = percent(spread_of(games, last), spread_of(uniform, last).mean);
  for (std::size_t piece = 0; piece < GameResult::kPieces; ++piece) {
    standing.curve.push_back(spread_of(games, [&](const GameResult& game) { return game.regret[piece]; }).mean);
    const auto quickest = std::min_element(games.begin(), games.end(), [&](const auto* a, const auto* b) {
      return a->seconds[piece] < b->seconds[piece];
    });
    standing.seconds.push_back((*quickest)->seconds[piece]);
  }
  return standing;
}

}  // namespace

std::vector<Standing> standings(const std::vector<GameResult>& games) {
  std::vector<Standing> all;
  std::vector<std::string> methods;
  for (const GameResult& game : games) {
    if (std::find(methods.begin(), methods.end(), game.method) == methods.end()) methods.push_back(game.method);
  }
  for (const std::string& method : methods) {
    const std::size_t begin = all.size();
    for (const GameResult& game : games) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Standing& one) {
        return one.method == method && one.delta == game.delta && one.rounds == game.rounds;
      });
      if (game.method != method || known) continue;
      const auto uniform = games_of(games, kUniform, game.delta, game.rounds);
      if (uniform.empty()) {
        throw Error(fmt::format("delta {} over {} rounds has no games of the uniform player to measure by", game.delta,
                                game.rounds));
      }
      all.push_back(standing_of(games_of(games, method, game.delta, game.rounds), uniform));
    }
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(),
              [](const Standing& a, const Standing& b) { return a.delta < b.delta; });
  }
  return all;
}

}  // namespace cmanp::bandit
