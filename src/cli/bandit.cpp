// cmanp bandit: agents that choose while they learn, on the wheel bandit.
#include <fmt/format.h>

#include <memory>

#include "bandit/model_player.hpp"
#include "cli/bandit_report.hpp"
#include "cli/bandit_run.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"

namespace cmanp::cli {
namespace {

using bandit::Player;
using MakePlayer = std::function<std::unique_ptr<Player>(std::uint32_t seed)>;

// The methods that models are compared with are not carried to every device.
MakePlayer player_without_model(const std::string& method) {
  if (method != "uniform") throw HandOver{fmt::format("`cmanp bandit run --method {}`", method)};
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
  const MakePlayer make =
      options.model.empty() ? player_without_model(options.method) : player_with(options.model, options.agent);
  run_tournament(options, [&](bandit::ResultsFile& results, const bandit::Finished& finished) {
    bandit::play_all(options.tournament, make, results, finished);
  });
}

}  // namespace

void add_bandit(CLI::App& app) {
  CLI::App* verb = add_bandit_verb(app);
  add_bandit_run_verb(verb, run);
  add_bandit_report(verb, []() -> std::vector<bandit::Published> { throw HandOver{"`cmanp bandit report --paper`"}; });
  verb->footer(verb->get_footer() +
               "\nThe verbs bandit train and bandit optimise, the methods linucb and neural-linear, and\nreport "
               "--paper belong to the training half, cmanp-train.");
}

}  // namespace cmanp::cli
