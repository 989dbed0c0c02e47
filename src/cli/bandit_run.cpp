#include "cli/bandit_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/state_lock.hpp"

namespace cmanp::cli {
namespace {

using bandit::Standing;

const std::map<std::string, Policy> kPolicies{
    {"ucb", Policy::ucb}, {"greedy", Policy::greedy}, {"thompson", Policy::thompson}};

std::string default_label(const BanditRunOptions& options) {
  if (options.model.empty()) return options.method;
  for (const auto& [name, policy] : kPolicies) {
    if (policy != options.agent.policy) continue;
    const std::string stem = std::filesystem::path(options.model).stem().string();
    return policy == Policy::greedy ? fmt::format("{} {}", stem, name)
                                    : fmt::format("{} {} {}", stem, name, options.agent.exploration);
  }
  return options.model;
}

nlohmann::ordered_json to_json(const Standing& one) {
  return {{"method", one.method},
          {"delta", one.delta},
          {"games", one.games},
          {"rounds", one.rounds},
          {"regret", one.regret.mean},
          {"regret_std", one.regret.deviation},
          {"last_regret", one.last_regret.mean},
          {"last_regret_std", one.last_regret.deviation},
          {"seconds_of_a_round", {one.seconds.front(), one.seconds.back()}}};
}

}  // namespace

CLI::App* add_bandit_verb(CLI::App& app) {
  CLI::App* verb = add_verb(app, "bandit", "Choosing while learning: trains, plays and compares agents",
                            "cmanp bandit run --model models/wheel.cmanp --results games.jsonl\n"
                            "  cmanp bandit report games.jsonl --curves regret.png");
  verb->require_subcommand(1);
  return verb;
}

void add_bandit_run_verb(CLI::App* bandit, const std::function<void(const BanditRunOptions&)>& run) {
  auto options = std::make_shared<BanditRunOptions>();
  options->tournament.threads = default_threads();
  CLI::App* verb = add_verb(*bandit, "run", "Plays the wheel bandit by a model or another method",
                            "cmanp bandit run --model models/wheel.cmanp --results games.jsonl\n"
                            "  cmanp bandit run --method linucb --results games.jsonl\n"
                            "Games that the results already have are not played again.");
  CLI::Option* model = add_model(verb, options->model);
  CLI::Option* method =
      verb->add_option("--method", options->method, "uniform, linucb, or neural-linear (Thompson sampling)")
          ->check(CLI::IsMember({"uniform", "linucb", "neural-linear"}));
  model->excludes(method);
  verb->add_option("--policy", options->agent.policy, "How a model's answers become a choice")
      ->transform(CLI::CheckedTransformer(kPolicies))
      ->type_name("ucb|greedy|thompson");
  verb->add_option("--exploration", options->agent.exploration, "Times the deviation, of ucb, thompson and linucb")
      ->check(number_between(0.0, 1e6))
      ->capture_default_str();
  verb->add_option("--delta", options->tournament.deltas, "Radius from which on a quadrant's arm pays 50")
      ->check(number_between(0.0, 1.0))
      ->capture_default_str();
  verb->add_option("--seeds", options->tournament.seeds, "Games with each: orders of the same rounds")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100000}))
      ->capture_default_str();
  verb->add_option("--rounds", options->tournament.rounds, "Rounds of a game")
      ->check(CLI::Range(std::size_t{bandit::GameResult::kPieces}, std::size_t{10000000}))
      ->capture_default_str();
  CLI::Option* results =
      verb->add_option("--results", options->results, "JSON lines to append the games to")->type_name("FILE");
  add_wait(verb, options->wait)->needs(results);
  verb->add_option("--label", options->tournament.method, "The method's name in results (default: by model and policy)")
      ->type_name("NAME");
  add_threads(verb, options->tournament.threads);
  add_json(verb, options->json);
  verb->callback([options, run] {
    if (options->model.empty() && options->method.empty()) {
      throw CLI::RequiredError("--model or --method");
    }
    if (options->tournament.method.empty()) options->tournament.method = default_label(*options);
    run(*options);
  });
}

void run_tournament(const BanditRunOptions& options,
                    const std::function<void(bandit::ResultsFile&, const bandit::Finished&)>& play) {
  std::optional<files::FileLock> lock;
  if (!options.results.empty()) {
    check_output(options.results, {options.model});
    lock.emplace(lock_state(options.results, options.wait));
  }
  bandit::ResultsFile results(options.results);
  bandit::play_uniform(options.tournament, results);
  const std::size_t missing = bandit::missing_games(options.tournament, results).size();
  {
    ProgressBar bar("playing", missing, "games");
    play(results, [&](std::size_t done) { bar.update(done, done); });
  }
  std::vector<Standing> standings = bandit::standings(results.games());
  std::erase_if(standings, [&](const Standing& one) {
    const auto& deltas = options.tournament.deltas;
    return one.method != options.tournament.method || one.rounds != options.tournament.rounds ||
           std::find(deltas.begin(), deltas.end(), one.delta) == deltas.end();
  });
  print_standings(standings, options.json);
}

void print_standings(const std::vector<Standing>& standings, bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Standing& one : standings) all.push_back(to_json(one));
    return print_json(all);
  }
  Output output;
  output.text("method,delta,games,regret,regret_std,last_regret,last_regret_std,microseconds_of_a_round\n");
  for (const Standing& one : standings) {
    output.text(fmt::format("{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.1f}\n", one.method, one.delta, one.games,
                            one.regret.mean, one.regret.deviation, one.last_regret.mean, one.last_regret.deviation,
                            1e6 * one.seconds.back()));
  }
  output.flush();
}

}  // namespace cmanp::cli
