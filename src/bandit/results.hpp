// Games that were played, as JSON lines: a line a game, appended as soon as it is over, so that a run that was killed
// goes on where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bandit/player.hpp"

namespace cmanp::bandit {

struct GameResult {
  std::string method;
  double delta = 0;
  std::uint32_t seed = 0;
  std::size_t rounds = 0;
  double last_regret = 0;       // of the last quarter of the rounds, the mean of a round
  std::vector<double> regret;   // cumulative, after each of kPieces equal pieces of the game
  std::vector<double> seconds;  // of a round in each of these pieces, the mean

  static constexpr std::size_t kPieces = 50;

  double total() const { return regret.back(); }
  bool is(const std::string& of, double with_delta, std::uint32_t with_seed, std::size_t with_rounds) const {
    return method == of && delta == with_delta && seed == with_seed && rounds == with_rounds;
  }
};

GameResult summarise(const std::string& method, double delta, std::uint32_t seed, const Game& game);

// All games of a file; none where there is no file. The beginning of a game that a kill left as the last line is
// passed over; throws Error, with the line, on anything else that is no game, and on lines longer than a megabyte.
std::vector<GameResult> read_results(const std::filesystem::path& path);

// Only ever appended to. A file that holds anything but games is refused as a whole, and left as it is.
class ResultsFile {
 public:
  explicit ResultsFile(const std::filesystem::path& path);  // an empty path: games are kept in memory alone
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  ~ResultsFile();

  bool has(const std::string& method, double delta, std::uint32_t seed, std::size_t rounds) const;
  // Throws Error where it cannot be written, and for a game with a number that is not finite.
  void append(const GameResult& game);
  const std::vector<GameResult>& games() const { return games_; }

 private:
  void remove_cut_game();  // the last line, of which a kill left the beginning

  std::filesystem::path path_;
  std::vector<GameResult> games_;
  int descriptor_ = -1;
  std::uint64_t whole_bytes_ = 0;  // of the file as it was found, up to the last game's end
  bool lacks_end_ = false;         // the last game was whole but for its line's end
  bool begun_ = false;
};

}  // namespace cmanp::bandit
