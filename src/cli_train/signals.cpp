// cmanp signals draw: signals as task signals draws them, to look at what a model for them learns from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/settings_flags.hpp"
#include "cli_train/verbs.hpp"
#include "plots/function_plot.hpp"
#include "plots/gnuplot.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/tasks/signals_task.hpp"

namespace cmanp::cli_train {
namespace {

using training::Signal;

constexpr std::size_t kMostSignals = 100000, kMostPoints = 10000, kMostPanels = 60, kColumns = 3;
constexpr int kPanelWidth = 520, kPanelHeight = 260;

struct SignalsOptions {
  std::size_t count = 12, observed = 0, asked = 200;
  bool any_number = true;  // of observations
  std::uint64_t seed = 0;
  std::string settings, picture;
  std::map<std::string, std::string> values;
};

training::SignalsTask make_signals_task(const SignalsOptions& options) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  if (!options.settings.empty()) document = runs::read_settings_file(options.settings);
  document["task"] = "signals";
  // By the prior's own keys: another task may have one of the same name that is of another kind.
  update_by_flags(document, options.values, [](const std::string& key, const std::string& text) {
    return training::parse_typed(training::signal_keys().described(), key, text);
  });
  const training::Settings settings = training::parse_settings(document, options.settings);
  return training::SignalsTask({.prior = training::signal_keys().read(settings.of_task)});
}

// Those asked for from left to right.
std::vector<std::size_t> order_of(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  return order;
}

void print_signal(cli::Output& output, std::size_t number, const Signal& signal) {
  const auto row = [&](const char* part, double x, double y) {
    output.text(fmt::format("{},{},", number, part));
    const double values[] = {x, y};
    output.numbers(values);
    output.text("\n");
  };
  for (std::size_t i = 0; i < signal.observed.size(); ++i)
    row("observed", signal.places.observed[i], signal.observed[i]);
  for (const std::size_t i : order_of(signal.places.asked)) row("asked", signal.places.asked[i], signal.asked[i]);
}

std::string panel_of(const Signal& signal) {
  plots::FunctionPlot plot;
  plot.title = describe(signal.parameters);
  plot.x_label = plot.y_label = "";
  plot.key = false;
  plot.observations = {signal.places.observed, signal.observed};
  for (const std::size_t i : order_of(signal.places.asked)) {
    plot.x.push_back(signal.places.asked[i]);
    plot.mean.push_back(signal.mean[i]);
    plot.std.push_back(std::sqrt(signal.variance[i]));
  }
  return plots::script_of(plot);
}

void run(const SignalsOptions& options) {
  if (!options.picture.empty()) {
    cli::check_output(options.picture, {options.settings});
    plots::check_can_draw(options.picture);
  }
  const training::SignalsTask task = make_signals_task(options);
  cli::Output output;
  output.text("signal,part,x,y\n");
  std::string panels;
  for (std::size_t k = 0; k < options.count; ++k) {
    training::Random random(options.seed, training::Stream::evaluation, k);
    const std::size_t drawn = task.draw_count(random);
    const Signal signal = task.draw_one(options.any_number ? drawn : options.observed, options.asked, random);
    print_signal(output, k, signal);
    if (!options.picture.empty()) panels += panel_of(signal);
  }
  output.flush();
  if (options.picture.empty()) return;
  const auto rows = static_cast<int>((options.count + kColumns - 1) / kColumns);
  plots::draw(options.picture, {kPanelWidth * static_cast<int>(kColumns), kPanelHeight * rows},
              fmt::format("set multiplot layout {},{}\n{}unset multiplot\n", rows, kColumns, panels));
}

void add_draw(CLI::App& signals) {
  auto options = std::make_shared<SignalsOptions>();
  CLI::App* verb = cli::add_verb(
      signals, "draw", "Signals as a model for them is trained on: CSV, and a picture",
      "cmanp signals draw --count 12 --kernels periodic,trend --plot signals.png > signals.csv\n"
      "x and y are in the frame of what was observed. The picture has observations, and what is known of the others.");
  verb->add_option("--count", options->count, "Signals")
      ->check(CLI::Range(std::size_t{1}, kMostSignals))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option_function<std::size_t>(
          "--observed",
          [options = options.get()](const std::size_t& observed) {
            options->observed = observed;
            options->any_number = false;
          },
          "Observations of each (default: any number, as training has it)")
      ->check(CLI::Range(std::size_t{0}, kMostPoints))
      ->type_name("N");
  verb->add_option("--asked", options->asked, "Further points of each")
      ->check(CLI::Range(std::size_t{1}, kMostPoints))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--seed", options->seed, "Decides about the signals")->capture_default_str()->type_name("N");
  verb->add_option("--settings", options->settings, "A JSON file of settings, such as a run's; flags go before it")
      ->type_name("FILE");
  verb->add_option("--plot", options->picture, "A picture of them: .png, .svg or .pdf")->type_name("FILE");
  for (const training::SettingsKey& key : training::signal_keys().described()) {
    if (key.name != "exact_loss") add_key_flag(verb, key, options->values)->group("The prior");
  }
  verb->callback([options] {
    if (!options->picture.empty() && options->count > kMostPanels) {
      throw CLI::ValidationError("--plot",
                                 fmt::format("draws {} signals at most, not {}", kMostPanels, options->count));
    }
    run(*options);
  });
}

}  // namespace

void add_signals(CLI::App& app) {
  CLI::App* verb = cli::add_verb(app, "signals", "Signals that models for anybody's data are trained on",
                                 "cmanp signals draw --plot signals.png > signals.csv");
  verb->require_subcommand(1);
  add_draw(*verb);
}

}  // namespace cmanp::cli_train
