#include "bandit/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>

#include "files/atomic_file.hpp"

namespace cmanp::bandit {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const GameResult& game) {
  return {{"method", game.method},
          {"delta", game.delta},
          {"seed", game.seed},
          {"rounds", game.rounds},
          {"regret", game.regret},
          {"last_regret", game.last_regret},
          {"seconds_of_a_round", game.seconds}};
}

double finite(const Json& value) {
  const auto number = value.get<double>();
  if (!std::isfinite(number)) throw Error("a number is not finite");
  return number;
}

// Throws on what is no game.
GameResult from_json(const Json& line) {
  GameResult game;
  game.method = line.at("method").get<std::string>();
  game.delta = finite(line.at("delta"));
  game.seed = line.at("seed").get<std::uint32_t>();
  game.rounds = line.at("rounds").get<std::size_t>();
  game.last_regret = finite(line.at("last_regret"));
  for (const Json& value : line.at("regret")) game.regret.push_back(finite(value));
  for (const Json& value : line.at("seconds_of_a_round")) game.seconds.push_back(finite(value));
  if (game.regret.size() != GameResult::kPieces || game.seconds.size() != GameResult::kPieces) {
    throw Error(fmt::format("a game has {} pieces", GameResult::kPieces));
  }
  return game;
}

std::string lines_of(const std::vector<GameResult>& games) {
  std::string text;
  for (const GameResult& game : games) text += to_json(game).dump() + "\n";
  return text;
}

}  // namespace

GameResult summarise(const std::string& method, double delta, std::uint32_t seed, const Game& game) {
  const std::size_t rounds = game.regret.size(), last = std::max<std::size_t>(rounds / 4, 1);
  GameResult result{method, delta, seed, rounds, 0, {}, {}};
  const auto sum = [](const std::vector<double>& values, std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                           values.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  };
  for (std::size_t piece = 0; piece < GameResult::kPieces; ++piece) {
    const std::size_t begin = piece * rounds / GameResult::kPieces, end = (piece + 1) * rounds / GameResult::kPieces;
    const auto length = static_cast<double>(std::max<std::size_t>(end - begin, 1));
    result.regret.push_back((piece == 0 ? 0 : result.regret.back()) + sum(game.regret, begin, end));
    result.seconds.push_back(sum(game.seconds, begin, end) / length);
  }
  result.last_regret = sum(game.regret, rounds - last, rounds) / static_cast<double>(last);
  return result;
}

std::vector<GameResult> read_results(const std::filesystem::path& path) {
  std::vector<GameResult> games;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  for (std::size_t number = 1; std::getline(stream, text); ++number) {
    const bool whole = !stream.eof();  // a line's end was there
    try {
      games.push_back(from_json(Json::parse(text)));
    } catch (const std::exception& error) {
      if (whole) throw Error(fmt::format("{}:{}: not a game: {}", path.string(), number, error.what()));
    }
  }
  return games;
}

ResultsFile::ResultsFile(const std::filesystem::path& path) : path_(path) {
  if (path.empty()) return;
  games_ = read_results(path);
  const std::string kept = lines_of(games_);
  files::AtomicFile file(path);
  file.write(std::as_bytes(std::span(kept)));
  file.commit();
  stream_.open(path, std::ios::binary | std::ios::app);
}

bool ResultsFile::has(const std::string& method, double delta, std::uint32_t seed, std::size_t rounds) const {
  return std::any_of(games_.begin(), games_.end(),
                     [&](const GameResult& game) { return game.is(method, delta, seed, rounds); });
}

void ResultsFile::append(const GameResult& game) {
  games_.push_back(game);
  if (path_.empty()) return;
  stream_ << lines_of({game}) << std::flush;
  if (!stream_) {
    throw Error(fmt::format("cannot write {}: {}", path_.string(), std::generic_category().message(errno)));
  }
}

}  // namespace cmanp::bandit
