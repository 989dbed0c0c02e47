// cmanp predict: mean and standard deviation of each target, or joint samples over all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/context.hpp>
#include <cmanp/predictor.hpp>
#include <memory>
#include <span>
#include <vector>

#include "cli/answers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/points.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {
namespace {

struct PredictOptions {
  std::string model, state, targets;
  std::vector<std::string> context;
  std::size_t draws = 0;  // 0: means and deviations
  std::size_t block = SampleOptions{}.block;
  std::uint64_t seed = 0;
  std::size_t threads = default_threads();
  bool json = false;
};

Answers predict_all(Context& context, const tables::Table& targets) {
  constexpr std::size_t kChunk = 4096;  // targets between two looks at the progress bar
  const Config& config = context.model().config();
  Answers answers{std::vector<double>(targets.rows * config.dim_y), std::vector<double>(targets.rows * config.dim_y)};
  ProgressBar progress("predicting", targets.rows, "targets");
  for (std::size_t begin = 0; begin < targets.rows; begin += kChunk) {
    const std::size_t rows = std::min(kChunk, targets.rows - begin);
    const auto part = [&](std::vector<double>& values) {
      return std::span(values).subspan(begin * config.dim_y, rows * config.dim_y);
    };
    context.predict(std::span(targets.x).subspan(begin * config.dim_x, rows * config.dim_x), part(answers.mean),
                    part(answers.std));
    progress.update(begin + rows, begin + rows);
  }
  return answers;
}

// [draw][target][dim_y]
std::vector<double> sample_all(const Context& context, const tables::Table& targets, const PredictOptions& options,
                               std::size_t block) {
  std::vector<double> samples(options.draws * targets.rows * context.model().config().dim_y);
  ProgressBar progress("sampling", options.draws, "draws");
  sample(context, targets.x, samples, {.draws = options.draws, .block = block, .seed = options.seed},
         [&](std::size_t done) { progress.update(done, done); });
  return samples;
}

void print_answers(Output& output, const Config& config, const tables::Table& targets, const Answers& answers) {
  output.text(answers_header(config));
  for (std::size_t i = 0; i < targets.rows; ++i) print_answer(output, config, targets.x, answers, i);
}

void print_samples(Output& output, const Config& config, const tables::Table& targets,
                   const std::vector<double>& samples, std::size_t draws) {
  output.text(column_names("x", config.dim_x));
  for (std::size_t draw = 1; draw <= draws; ++draw) {
    const std::string name = fmt::format("sample{}", draw);
    output.text("," + (config.dim_y == 1 ? name : column_names(name + "_y", config.dim_y)));
  }
  for (std::size_t i = 0; i < targets.rows; ++i) {
    output.text("\n");
    output.numbers(std::span(targets.x).subspan(i * config.dim_x, config.dim_x));
    for (std::size_t draw = 0; draw < draws; ++draw) {
      output.text(",");
      output.numbers(std::span(samples).subspan((draw * targets.rows + i) * config.dim_y, config.dim_y));
    }
  }
  output.text("\n");
}

void print_json_answers(Output& output, const Config& config, const tables::Table& targets, const Answers& answers,
                        const std::vector<double>& samples) {
  output.text("{\"mean\":");
  output.json_rows(answers.mean, config.dim_y);
  output.text(",\"std\":");
  output.json_rows(answers.std, config.dim_y);
  const std::size_t per_draw = targets.rows * config.dim_y;
  if (!samples.empty()) output.text(",\"samples\":[");
  for (std::size_t begin = 0; begin < samples.size(); begin += per_draw) {
    if (begin > 0) output.text(",");
    output.json_rows(std::span(samples).subspan(begin, per_draw), config.dim_y);
  }
  output.text(samples.empty() ? "}\n" : "]}\n");
}

void run(const PredictOptions& options) {
  const Model model = Model::load(options.model);
  const Config& config = model.config();
  const tables::Table targets = read_targets(options.targets, model, tables::Rows::targets);
  // No more working space than there are targets to fill it.
  const std::size_t block = std::clamp<std::size_t>(targets.rows, 1, options.block);
  Context context = make_context(model, {.threads = options.threads, .block = block}, options.state, options.context);
  std::vector<double> samples;
  if (options.draws > 0) samples = sample_all(context, targets, options, block);
  Output output;
  if (options.json) {
    print_json_answers(output, config, targets, predict_all(context, targets), samples);
  } else if (options.draws > 0) {
    print_samples(output, config, targets, samples, options.draws);
  } else {
    print_answers(output, config, targets, predict_all(context, targets));
  }
  output.flush();
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = add_verb(app, "predict", "Mean and standard deviation of y at each target, or joint samples",
                            "cmanp predict --model gp.cmanp --context seen.csv --targets asked.csv --sample 20");
  add_model(verb, options->model)->required();
  verb->add_option("--context,-c", options->context, "CSV files of observations (- is standard input)")
      ->type_name("FILE");
  verb->add_option("--state,-s", options->state, "A state made by condition, stream or merge, before any --context")
      ->type_name("FILE");
  verb->add_option("--targets", options->targets, "CSV file with the x to predict at")->required()->type_name("FILE");
  CLI::Option* draws = verb->add_option("--sample", options->draws, "Draw this many joint samples")
                           ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
                           ->type_name("N");
  add_block(verb, options->block, "Targets drawn jointly before they are fed back")
      ->capture_default_str()
      ->needs(draws);
  verb->add_option("--seed", options->seed, "Seed of the samples")->capture_default_str()->needs(draws)->type_name("N");
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
