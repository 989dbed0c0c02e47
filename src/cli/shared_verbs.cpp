#include "cli/shared_verbs.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/judgements.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"

namespace cmanp::cli {
namespace {

// What predict and score are asked about; the same for both.
template <class Options>
void add_data(CLI::App* verb, Options& options, const std::string& targets) {
  add_model(verb, options.model)->required();
  verb->add_option("--context,-c", options.context, "CSV files of observations (- is standard input)")
      ->type_name("FILE");
  verb->add_option("--state,-s", options.state, "A state made by condition, stream or merge, before any --context")
      ->type_name("FILE");
  verb->add_option("--targets", options.targets, targets)->required()->type_name("FILE");
  add_data_flags(verb, options.data);
  add_range_flags(verb, options.places);
}

// With digits for how far they are from each other: answers of draws have no deviation.
std::vector<double> sample_digits(const std::vector<double>& samples, std::size_t dim_y) {
  if (samples.empty()) return {};
  std::vector<double> spread;
  for (std::size_t c = 0; c < dim_y; ++c) {
    double low = samples[c], high = low;
    for (std::size_t i = c; i < samples.size(); i += dim_y) {
      low = std::min(low, samples[i]);
      high = std::max(high, samples[i]);
    }
    spread.push_back(high - low);
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < samples.size(); ++i) result.push_back(answer_digits(samples[i], spread[i % dim_y]));
  return result;
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
    print_places(output, std::span(targets.x).subspan(i * config.dim_x, config.dim_x), targets.times);
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
  output.json_rows(answer_digits(answers.mean, answers.std), config.dim_y);
  output.text(",\"std\":");
  output.json_rows(answers.std, config.dim_y, Digits::of_float);
  const std::size_t per_draw = targets.rows * config.dim_y;
  if (!samples.empty()) output.text(",\"samples\":[");
  for (std::size_t begin = 0; begin < samples.size(); begin += per_draw) {
    if (begin > 0) output.text(",");
    output.json_rows(std::span(samples).subspan(begin, per_draw), config.dim_y);
  }
  output.text(samples.empty() ? "}\n" : "]}\n");
}

}  // namespace

void add_predict_verb(CLI::App& app, const std::function<void(const PredictOptions&)>& run) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = add_verb(app, "predict", "Mean and standard deviation of y at each target, or joint samples",
                            "cmanp predict --model gp.cmanp --context seen.csv --targets asked.csv --sample 20");
  add_data(verb, *options, "CSV file with the x to predict at");
  CLI::Option* draws = verb->add_option("--sample", options->draws, "Draw this many joint samples")
                           ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
                           ->type_name("N");
  add_block(verb, options->block, "Targets drawn jointly before they are fed back")
      ->capture_default_str()
      ->needs(draws);
  verb->add_option("--seed", options->seed, "Seed of the samples")->capture_default_str()->needs(draws)->type_name("N");
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options, run] { run(*options); });
}

void add_score_verb(CLI::App& app, const std::function<void(const ScoreOptions&)>& run) {
  auto options = std::make_shared<ScoreOptions>();
  CLI::App* verb =
      add_verb(app, "score", "Mean log-likelihood per target point, errors, and what bands of 50, 90 and 95 % cover",
               "cmanp score --model gp.cmanp --context seen.csv --targets held-out.csv --json");
  add_data(verb, *options, "CSV file with the x and y to score");
  add_block(verb, options->block,
            "Score by the chain rule in blocks of N, each observed before the next; default: each target by itself for "
            "a diagonal model, blocks of 5 for cmanpand, all targets at once for other joint models");
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options, run] { run(*options); });
}

void add_import_verb(CLI::App& app, const std::function<void(const ImportOptions&)>& run) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* verb = add_verb(app, "import", "Takes over weights of the public PyTorch implementation",
                            "cmanp import reference.safetensors -o gp.cmanp");
  verb->add_option("reference", options->reference, "A state dict as safetensors, its configuration in the metadata")
      ->required()
      ->type_name("FILE");
  verb->add_option("--output,-o", options->output, "The model file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  add_json(verb, options->json);
  verb->callback([options, run] { run(*options); });
}

void print_predictions(const PredictOptions& options, const Config& config, const tables::Table& targets,
                       const Answers& answers, const std::vector<double>& samples) {
  Output output;
  const std::vector<double> drawn = sample_digits(samples, config.dim_y);
  if (options.json) {
    print_json_answers(output, config, targets, answers, drawn);
  } else if (options.draws > 0) {
    print_samples(output, config, targets, drawn, options.draws);
  } else {
    output.text(answers_header(config));
    const auto row = [](const std::vector<double>& values, std::size_t width, std::size_t i) {
      return std::span(values).subspan(i * width, width);
    };
    for (std::size_t i = 0; i < targets.rows; ++i) {
      print_answer(output, row(targets.x, config.dim_x, i), row(answers.mean, config.dim_y, i),
                   row(answers.std, config.dim_y, i), targets.times);
    }
  }
  output.flush();
}

void print_score(const ScoreOptions& options, const Score& score, const measures::Judgement& judgement) {
  if (options.json) {
    nlohmann::ordered_json result{
        {"log_likelihood", score.log_likelihood}, {"points", score.points}, {"standard_error", score.standard_error}};
    result.update(json_of(judgement));
    return print_json(result);
  }
  Output output;
  output.text("log_likelihood,points,standard_error" + csv_names() + "\n");
  output.numbers(std::vector{score.log_likelihood});
  output.text(fmt::format(",{},{}{}\n", score.points, score.standard_error, csv_values(judgement)));
  output.flush();
}

void print_import(const ImportOptions& options, const std::string& model, std::size_t parameters,
                  const std::string& hash) {
  tell(fmt::format("{}: {} with {} parameters, from {}", options.output, model, parameters, options.reference));
  if (options.json) {
    print_json({{"file", options.output}, {"model", model}, {"parameters", parameters}, {"hash", hash}});
  }
}

}  // namespace cmanp::cli
