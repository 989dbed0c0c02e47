#include "bandit/tournament.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel.hpp"

namespace cmanp::bandit {

std::vector<Job> missing_games(const Tournament& tournament, const ResultsFile& results) {
  std::vector<Job> jobs;
  for (const double delta : tournament.deltas) {
    for (std::uint32_t seed = 0; seed < tournament.seeds; ++seed) {
      if (!results.has(tournament.method, delta, seed, tournament.rounds)) jobs.push_back({delta, seed});
    }
  }
  return jobs;
}

std::unique_ptr<Player> uniform_player(std::uint32_t seed) {
  return std::make_unique<UniformPlayer>(Wheel::kArms, 1000 + seed);  // not the seeds of the orders
}

void play_uniform(const Tournament& tournament, ResultsFile& results) {
  Tournament uniform = tournament;
  uniform.method = kUniform;
  uniform.seeds = std::max(tournament.seeds, kMeasuringGames);
  uniform.threads = 1;
  play_all(uniform, uniform_player, results, [](std::size_t) {});
}

void play_all(const Tournament& tournament, const std::function<std::unique_ptr<Player>(std::uint32_t seed)>& make,
              ResultsFile& results, const Finished& finished) {
  const std::vector<Job> jobs = missing_games(tournament, results);
  std::mutex mutex;
  std::size_t done = 0;
  base::for_each_index(jobs.size(), tournament.threads, [&](std::size_t i) {
    const auto& [delta, seed] = jobs[i];
    const std::unique_ptr<Player> player = make(seed);
    const Game game = play(published_wheel(tournament.rounds, delta, seed), *player);
    const std::lock_guard lock(mutex);
    results.append(summarise(tournament.method, delta, seed, game));
    finished(++done);
  });
}

}  // namespace cmanp::bandit
