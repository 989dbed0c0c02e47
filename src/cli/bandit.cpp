// cmanp bandit: agents that choose while they learn, on the wheel bandit.
#include <memory>

#include "bandit/lin_ucb.hpp"
#include "bandit/model_player.hpp"
#include "bandit/neural_linear.hpp"
#include "cli/bandit_report.hpp"
#include "cli/bandit_run.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

using bandit::Player;
using bandit::Wheel;
using MakePlayer = std::function<std::unique_ptr<Player>(std::uint32_t seed)>;

MakePlayer player_without_model(const std::string& method, double exploration) {
  if (method == "linucb") {
    return [exploration](std::uint32_t) {
      return std::make_unique<bandit::LinUcb>(Wheel::kFeatures, Wheel::kArms, exploration);
    };
  }
  if (method == "neural-linear") {
    return
        [](std::uint32_t seed) { return std::make_unique<bandit::NeuralLinear>(Wheel::kFeatures, Wheel::kArms, seed); };
  }
  return bandit::uniform_player;
}

MakePlayer player_with(const std::string& path, const AgentOptions& options) {
  check_model_runs_here(path);
  const Model model = Model::load(path);
  const bandit::Rewards rewards = bandit::rewards_of(model.config(), path);
  return [=](std::uint32_t seed) {
    AgentOptions own = options;
    own.seed = seed;
    return bandit::make_model_player(model, rewards, own);
  };
}

void run(const BanditRunOptions& options) {
  const MakePlayer make = options.model.empty() ? player_without_model(options.method, options.agent.exploration)
                                                : player_with(options.model, options.agent);
  run_tournament(options, [&](bandit::ResultsFile& results, const bandit::Finished& finished) {
    bandit::play_all(options.tournament, make, results, finished);
  });
}

}  // namespace

void add_bandit(CLI::App& app) {
  CLI::App* verb = add_bandit_verb(app);
  add_bandit_run_verb(verb, run);
  add_bandit_report(verb);
  verb->footer(verb->get_footer() +
               "\nThe verbs bandit train and bandit optimise belong to the training half, cmanp-train.");
}

}  // namespace cmanp::cli
