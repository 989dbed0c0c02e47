// cmanp score: the log-likelihood of targets whose y is known.
#include <algorithm>
#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <cmanp/predictor.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/points.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {
namespace {

struct ScoreOptions {
  std::string model, state, targets;
  std::vector<std::string> context;
  std::size_t block = 0;  // 0: the model's own way
  std::size_t threads = default_threads();
  bool json = false;
};

void run(const ScoreOptions& options) {
  const Model model = Model::load(options.model);
  const tables::Table targets = read_targets(options.targets, model, tables::Rows::points);
  if (targets.rows == 0) throw Error(options.targets + ": no targets to score");
  const std::size_t wanted = options.block > 0 ? options.block : ContextOptions{}.block;
  const std::size_t block = std::min(targets.rows, wanted);
  const Context context =
      make_context(model, {.threads = options.threads, .block = block}, options.state, options.context);
  ProgressBar progress("scoring", targets.rows, "targets");
  const Score result = score(context, targets.x, targets.y, options.block > 0 ? block : 0,
                             [&](std::size_t done) { progress.update(done, done); });
  if (options.json) {
    print_json({{"log_likelihood", result.log_likelihood}, {"points", result.points}});
    return;
  }
  Output output;
  output.text("log_likelihood,points\n");
  output.numbers(std::vector{result.log_likelihood});
  output.text("," + std::to_string(result.points) + "\n");
  output.flush();
}

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* verb = add_verb(app, "score", "Mean log-likelihood per target point",
                            "cmanp score --model gp.cmanp --context seen.csv --targets held-out.csv --json");
  add_model(verb, options->model)->required();
  verb->add_option("--context,-c", options->context, "CSV files of observations (- is standard input)")
      ->type_name("FILE");
  verb->add_option("--state,-s", options->state, "A state made by condition, stream or merge, before any --context")
      ->type_name("FILE");
  verb->add_option("--targets", options->targets, "CSV file with the x and y to score")->required()->type_name("FILE");
  add_block(verb, options->block,
            "Score by the chain rule in blocks of N, each observed before the next; default: each target by itself for "
            "a diagonal model, blocks of 5 for others");
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
