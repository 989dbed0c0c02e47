// cmanp bench train: training steps a second, as a fraction of what the machine's arithmetic could do.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/beside_peak.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/process_memory.hpp"
#include "cli_train/bench_compare.hpp"
#include "cli_train/bench_events.hpp"
#include "cli_train/prepare_data.hpp"
#include "cli_train/settings_flags.hpp"
#include "cli_train/step_timing.hpp"
#include "cli_train/verbs.hpp"
#include "training/fused/switch.hpp"
#include "training/trainer/multiply_adds.hpp"
#include "training/trainer/threads.hpp"
#include "training/trainer/training_step.hpp"

namespace cmanp::cli_train {
namespace {

struct BenchOptions {
  std::string what;
  SettingsFlags settings;
  std::int64_t context = 0;
  std::string instructions;
  double seconds = 20;
  bool json = false;
};

// Any points at all: for contexts longer than tasks have. What is in them costs nothing.
training::Batch long_batch(const training::Settings& settings, std::int64_t context) {
  const auto draw = [&](std::int64_t points, std::int64_t width) {
    return torch::randn({settings.batch, points, width});
  };
  const std::int64_t targets = settings.max_points / 2;
  return {draw(context, settings.config.dim_x), draw(context, settings.config.dim_y),
          draw(targets, settings.config.dim_x), draw(targets, settings.config.dim_y)};
}

void run(const BenchOptions& options) {
  cli::use_instructions(options.instructions);
  if (options.what == "events") return bench_events(options.seconds / 10, options.json);
  const training::Settings settings = settings_from(options.settings);
  const std::int64_t threads = training::use_threads(settings.threads);
  prepare_data(settings);
  const std::vector<training::Batch> batches =
      options.context > 0 ? std::vector{long_batch(settings, options.context)} : some_batches(settings);
  training::TrainingStep step(settings);
  const cli::BesidePeak timed =
      cli::time_beside_peak([&] { take_steps(step, batches); }, options.seconds / 2, static_cast<std::size_t>(threads));
  const double peak_rss_mb = cli::peak_rss_mb();  // before the plain form takes more
  double multiply_adds = 0, plain_seconds = 0;
  {
    const training::fused::Off plain;
    training::use_threads_of_libtorch(threads);
    // The plain form's products are the arithmetic there is to do; counting them warms up as well.
    multiply_adds = training::count_multiply_adds([&] { take_steps(step, batches); });
    plain_seconds = time_steps(step, batches, options.seconds / 2);
  }
  const double seconds = timed.seconds / static_cast<double>(batches.size()), fraction = timed.fraction(multiply_adds);
  const double gflops = 2e-9 * multiply_adds / timed.seconds;
  const nlohmann::ordered_json result{{"case", "train"},
                                      {"model", settings.model},
                                      {"per_second", 1 / seconds},
                                      {"plain_per_second", 1 / plain_seconds},
                                      {"speedup", plain_seconds / seconds},
                                      {"gflops", gflops},
                                      {"peak_gflops", timed.peak_gflops},
                                      {"fraction_of_peak", fraction},
                                      {"peak_rss_mb", peak_rss_mb},
                                      {"threads", threads}};
  if (options.json) return cli::print_json(result);
  cli::Output output;
  output.text(fmt::format("{:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8}\n", "model", "steps/s", "plain",
                          "speed-up", "GFLOP/s", "peak", "of peak", "MB at most", "threads"));
  output.text(fmt::format("{:<10} {:>9.3f} {:>9.3f} {:>9.2f} {:>9.1f} {:>9.1f} {:>7.1f} % {:>10.1f} {:>8}\n",
                          settings.model, 1 / seconds, 1 / plain_seconds, plain_seconds / seconds, gflops,
                          timed.peak_gflops, 100 * fraction, peak_rss_mb, threads));
  output.flush();
}

void add_compare(CLI::App* bench) {
  auto options = std::make_shared<CompareOptions>();
  options->models = {"cmanp", "lbanp", "eqtnp", "tnpd"};
  options->points = {256, 1024, 4096};
  options->targets = {64};
  CLI::App* verb = cli::add_verb(*bench, "compare",
                                 "Time and memory of models' phases, as context and targets grow, by the "
                                 "published sizes on one core",
                                 "cmanp bench compare --phase update --points 256,1024,4096");
  const auto counts = CLI::Range(std::int64_t{1}, std::int64_t{10'000'000});
  verb->add_option("--model", options->models, "Models, separated by commas")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("NAME");
  verb->add_option(
          "--phase", options->phase,
          "condition; query; update: a model with new points, CMANP by its state, the others from the start, as "
          "update-slow has it for all; answer: all of it, as the log-likelihood of targets takes it")
      ->check(CLI::IsMember(kPhases))
      ->capture_default_str()
      ->type_name("PHASE");
  verb->add_option("--points", options->points, "Context points, separated by commas")
      ->delimiter(',')
      ->check(counts)
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--targets", options->targets, "Targets, separated by commas")
      ->delimiter(',')
      ->check(counts)
      ->capture_default_str()
      ->type_name("M");
  verb->add_option("--added", options->added, "New points of an update, separated by commas")
      ->delimiter(',')
      ->check(counts)
      ->capture_default_str()
      ->type_name("U");
  verb->add_option("--chunk", options->chunk, "Context points that CMANP takes in at once, b_C; 0: all")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{10'000'000}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--block", options->block, "Targets that CMANP-AND predicts jointly, b_Q")
      ->check(counts)
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--seconds", options->seconds, "Processor time to spend on each measurement")
      ->check(cli::number_between(0.001, 3600.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  verb->add_flag("--here", options->here, "Measure in this process instead of one for each");
  cli::add_json(verb, options->json);
  verb->callback([options] { bench_compare(*options); });
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = cli::add_verb(app, "bench", "Training steps a second, and the fraction of the machine's peak",
                                 "cmanp bench train --model cmanp --threads 2 --json");
  verb->add_option("case", options->what,
                   "train, or events: what an event costs a stream after 10 to 100,000 of them, in a tenth of the time "
                   "for each; the other cases are the lean half's")
      ->check(CLI::IsMember({"train", "events"}));
  verb->add_option("--context", options->context, "Time on so many context points, random ones; 0: batches of the task")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{10'000'000}))
      ->type_name("POINTS");
  verb->add_option("--seconds", options->seconds, "Time to spend")
      ->check(cli::number_between(0.001, 3600.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  cli::add_instructions(verb, options->instructions);
  add_settings_flags(verb, options->settings);
  cli::add_json(verb, options->json);
  add_compare(verb);
  verb->callback([options, verb] {
    if (!verb->get_subcommands().empty()) return;
    if (options->what.empty()) throw CLI::RequiredError("case");
    run(*options);
  });
}

}  // namespace cmanp::cli_train
