// cmanp bench train: training steps a second, as a fraction of what the machine's arithmetic could do.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/process_memory.hpp"
#include "cli_train/bench_events.hpp"
#include "cli_train/prepare_data.hpp"
#include "cli_train/settings_flags.hpp"
#include "cli_train/step_timing.hpp"
#include "cli_train/verbs.hpp"
#include "kernels/peak.hpp"
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
  if (options.what == "events") return bench_events(options.seconds / 10, options.json);
  const training::Settings settings = settings_from(options.settings);
  const auto threads = static_cast<std::size_t>(training::use_threads(settings.threads));
  prepare_data(settings);
  const std::vector<training::Batch> batches =
      options.context > 0 ? std::vector{long_batch(settings, options.context)} : some_batches(settings);
  training::TrainingStep step(settings);
  const double peak_before = kernels::peak_gflops(threads);
  take_steps(step, batches);
  const double seconds = time_steps(step, batches, options.seconds / 2);
  const double peak_rss_mb = cli::peak_rss_mb();  // before the plain form takes more
  double multiply_adds = 0, plain_seconds = 0;
  {
    const training::fused::Off plain;
    // The plain form's products are the arithmetic there is to do; counting them warms up as well.
    multiply_adds = training::count_multiply_adds([&] { take_steps(step, batches); });
    plain_seconds = time_steps(step, batches, options.seconds / 2);
  }
  const double peak = std::max(peak_before, kernels::peak_gflops(threads));
  const double gflops = 2 * multiply_adds / static_cast<double>(batches.size()) / seconds / 1e9;
  const nlohmann::ordered_json result{{"case", "train"},
                                      {"model", settings.model},
                                      {"per_second", 1 / seconds},
                                      {"plain_per_second", 1 / plain_seconds},
                                      {"speedup", plain_seconds / seconds},
                                      {"gflops", gflops},
                                      {"peak_gflops", peak},
                                      {"fraction_of_peak", gflops / peak},
                                      {"peak_rss_mb", peak_rss_mb},
                                      {"threads", threads}};
  if (options.json) return cli::print_json(result);
  cli::Output output;
  output.text(fmt::format("{:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8}\n", "model", "steps/s", "plain",
                          "speed-up", "GFLOP/s", "peak", "of peak", "MB at most", "threads"));
  output.text(fmt::format("{:<10} {:>9.3f} {:>9.3f} {:>9.2f} {:>9.1f} {:>9.1f} {:>7.1f} % {:>10.1f} {:>8}\n",
                          settings.model, 1 / seconds, 1 / plain_seconds, plain_seconds / seconds, gflops, peak,
                          100 * gflops / peak, peak_rss_mb, threads));
  output.flush();
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = cli::add_verb(app, "bench", "Training steps a second, and the fraction of the machine's peak",
                                 "cmanp bench train --model cmanp --threads 2 --json");
  verb->add_option("case", options->what,
                   "train, or events: what an event costs a stream after 10 to 100,000 of them, in a tenth of the time "
                   "for each; the other cases are the lean half's")
      ->required()
      ->check(CLI::IsMember({"train", "events"}));
  verb->add_option("--context", options->context, "Time on so many context points, random ones; 0: batches of the task")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{10'000'000}))
      ->type_name("POINTS");
  verb->add_option("--seconds", options->seconds, "Time to spend")
      ->check(cli::number_between(0.001, 3600.0))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_settings_flags(verb, options->settings);
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train
