// cmanp bandit train, bandit run for models that the lean half does not run and for other methods, and bandit report.
#include <memory>

#include "bandit/lin_ucb.hpp"
#include "bandit/neural_linear.hpp"
#include "cli/bandit_report.hpp"
#include "cli/bandit_run.hpp"
#include "cli_train/verbs.hpp"
#include "training/bandit/family_games.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

using bandit::Wheel;

std::unique_ptr<bandit::Player> make_baseline(const cli::BanditRunOptions& options, std::uint32_t seed) {
  if (options.method == "linucb") {
    return std::make_unique<bandit::LinUcb>(Wheel::kFeatures, Wheel::kArms, options.agent.exploration);
  }
  if (options.method == "neural-linear") {
    return std::make_unique<bandit::NeuralLinear>(Wheel::kFeatures, Wheel::kArms, seed);
  }
  return bandit::uniform_player(seed);
}

void run_baseline(const cli::BanditRunOptions& options) {
  cli::run_tournament(options, [&](bandit::ResultsFile& results, const bandit::Finished& finished) {
    bandit::play_all(
        options.tournament, [&](std::uint32_t seed) { return make_baseline(options, seed); }, results, finished);
  });
}

void run(const cli::BanditRunOptions& options) {
  constexpr std::size_t kTogether = 10;  // games; more of them cost memory and save nothing
  if (options.model.empty()) return run_baseline(options);
  const training::LoadedModel model = training::open_model(options.model);
  bandit::rewards_of(training::shape_of(model.model->config()), options.model);
  training::use_threads(static_cast<std::int64_t>(options.tournament.threads));
  cli::run_tournament(options, [&](bandit::ResultsFile& results, const bandit::Finished& finished) {
    training::play_family(options.tournament, model, options.agent, kTogether, results, finished);
  });
}

}  // namespace

void add_bandit(CLI::App& app) {
  CLI::App* verb = cli::add_bandit_verb(app);
  add_bandit_train(*verb);
  cli::add_bandit_run_verb(verb, run);
  add_bandit_optimise(*verb);
  cli::add_bandit_report(verb, bandit::published_standings);
}

}  // namespace cmanp::cli_train
