#include "bandit/results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/finite.hpp"
#include "files/json.hpp"

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

std::string line_of(const GameResult& game) { return to_json(game).dump() + "\n"; }

// Whether a last line without its end is the beginning of a game, as a kill leaves it, and not somebody else's text.
bool cut_short(std::string_view text) {
  constexpr std::string_view kBegin = R"({"method":)";
  return text.starts_with(kBegin) || kBegin.starts_with(text);
}

// What a file holds, and how much of it is whole lines.
struct Contents {
  std::vector<GameResult> games;
  std::uint64_t whole_bytes = 0;
  bool ended = true;  // by a line's end
};

Contents read(const std::filesystem::path& path) {
  constexpr std::size_t kLongest = std::size_t{1} << 20;  // a game takes some 2 kB
  Contents contents;
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> line(kLongest + 1);
  for (std::size_t number = 1; stream.getline(line.data(), kLongest + 1) || stream.gcount() > 0; ++number) {
    const auto fail = [&](std::string_view why) {
      throw Error(fmt::format("{}:{}: not a game: {}", path.string(), number, why));
    };
    const bool ended = !stream.eof();
    if (ended && stream.fail()) fail(fmt::format("a line longer than {} bytes", kLongest));
    const auto size = static_cast<std::size_t>(stream.gcount());
    const std::string_view text(line.data(), ended ? size - 1 : size);
    try {
      contents.games.push_back(from_json(files::parse_json(text, "it")));
    } catch (const std::exception& error) {
      if (!ended && cut_short(text)) break;
      fail(error.what());
    }
    contents.whole_bytes += size;
    contents.ended = ended;
  }
  return contents;
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw Error(fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(error)));
}

bool is_finite(const GameResult& game) {
  return std::isfinite(game.delta) && std::isfinite(game.last_regret) && base::all_finite(game.regret) &&
         base::all_finite(game.seconds);
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

std::vector<GameResult> read_results(const std::filesystem::path& path) { return read(path).games; }

ResultsFile::ResultsFile(const std::filesystem::path& path) : path_(path) {
  if (path.empty()) return;
  Contents contents = read(path);  // refuses a file that is not one of games, before anything is written
  games_ = std::move(contents.games);
  whole_bytes_ = contents.whole_bytes;
  lacks_end_ = !contents.ended;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644);
  if (descriptor_ < 0) fail_to_write(path, errno);
}

ResultsFile::~ResultsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ResultsFile::has(const std::string& method, double delta, std::uint32_t seed, std::size_t rounds) const {
  return std::any_of(games_.begin(), games_.end(),
                     [&](const GameResult& game) { return game.is(method, delta, seed, rounds); });
}

void ResultsFile::append(const GameResult& game) {
  if (!is_finite(game)) {
    throw Error(fmt::format("a game of {} (delta {}, seed {}) came out as no finite number, and is not kept",
                            game.method, game.delta, game.seed));
  }
  games_.push_back(game);
  if (path_.empty()) return;
  if (!std::exchange(begun_, true)) remove_cut_game();
  // One write a game: a kill between two of them leaves whole lines.
  std::string rest = (std::exchange(lacks_end_, false) ? "\n" : "") + line_of(game);
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) fail_to_write(path_, errno);
    if (written > 0) rest.erase(0, static_cast<std::size_t>(written));
  }
}

void ResultsFile::remove_cut_game() {
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) fail_to_write(path_, errno);
  if (!S_ISREG(now.st_mode) || static_cast<std::uint64_t>(now.st_size) <= whole_bytes_) return;
  if (::ftruncate(descriptor_, static_cast<off_t>(whole_bytes_)) != 0) fail_to_write(path_, errno);
}

}  // namespace cmanp::bandit
