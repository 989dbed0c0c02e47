// cmanp bandit train, and bandit run for models that the lean half does not run.
#include "cli/bandit_run.hpp"
#include "cli_train/verbs.hpp"
#include "training/bandit/family_games.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::cli_train {
namespace {

void run(const cli::BanditRunOptions& options) {
  constexpr std::size_t kTogether = 10;  // games; more of them cost memory and save nothing
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
}

}  // namespace cmanp::cli_train
