// The verbs that both programs have, as the lean half runs some models and the training half the others: their flags,
// and what they print. Each program brings what computes.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmanp/config.hpp>
#include <cmanp/predictor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/answers.hpp"
#include "cli/given.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "measures/judgement.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {

struct PredictOptions {
  std::string model, state, targets;
  std::vector<std::string> context;
  RangeFlags places;
  std::size_t draws = 0;  // 0: means and deviations
  std::size_t block = ContextOptions{}.block;
  std::uint64_t seed = 0;
  std::size_t threads = default_threads();
  DataFlags data;
  bool json = false;
};

struct ScoreOptions {
  std::string model, state, targets;
  std::vector<std::string> context;
  RangeFlags places;
  std::size_t block = 0;  // 0: the model's own way
  std::size_t threads = default_threads();
  DataFlags data;
  bool json = false;
};

struct ImportOptions {
  std::string reference, output;
  bool json = false;
};

void add_predict_verb(CLI::App& app, const std::function<void(const PredictOptions&)>& run);
void add_score_verb(CLI::App& app, const std::function<void(const ScoreOptions&)>& run);
void add_import_verb(CLI::App& app, const std::function<void(const ImportOptions&)>& run);

// `samples` [draw][target][dim_y] are empty where none were asked for; `answers` where only samples are.
void print_predictions(const PredictOptions& options, const Config& config, const tables::Table& targets,
                       const Answers& answers, const std::vector<double>& samples);
void print_score(const ScoreOptions& options, const Score& score, const measures::Judgement& judgement);
void print_import(const ImportOptions& options, const std::string& model, std::size_t parameters,
                  const std::string& hash);

// Mean and deviation of each target by itself.
template <class Context>
Answers answer_each(const Config& config, Context& context, const tables::Table& targets) {
  constexpr std::size_t kChunk = 4096;  // targets between two looks at the progress bar
  Answers answers;
  answers.mean.resize(targets.rows * config.dim_y);
  answers.std.resize(answers.mean.size());
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

// Answers `targets` and prints. Context: the lean half's Context, or what the training half has in its place.
template <class Context>
void answer_predict(const PredictOptions& options, const Config& config, Context& context,
                    const tables::Table& targets) {
  std::vector<double> samples(options.draws * targets.rows * config.dim_y);
  if (options.draws > 0) {
    ProgressBar progress("sampling", options.draws, "draws");
    sample(context, targets.x, samples, {.draws = options.draws, .block = options.block, .seed = options.seed},
           [&](std::size_t done) { progress.update(done, done); });
  }
  Answers answers;
  if (options.draws == 0 || options.json) answers = answer_each(config, context, targets);
  print_predictions(options, config, targets, answers, samples);
}

template <class Context>
void answer_score(const ScoreOptions& options, const Config& config, Context& context, const tables::Table& targets) {
  Score result;
  {
    ProgressBar progress("scoring", targets.rows, "targets");
    result =
        score(context, targets.x, targets.y, options.block, [&](std::size_t done) { progress.update(done, done); });
  }
  const Answers answers = answer_each(config, context, targets);
  measures::Judge judge(config.band_scales);
  judge.add(targets.y, answers.mean, answers.std, config.dim_y);
  print_score(options, result, judge.judgement());
}

}  // namespace cmanp::cli
