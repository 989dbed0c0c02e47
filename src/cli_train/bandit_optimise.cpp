// cmanp bandit optimise: a model looks for the least value of functions it has never seen.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli_train/verbs.hpp"
#include "plots/gnuplot.hpp"
#include "plots/line_plot.hpp"
#include "training/bandit/optimise.hpp"

namespace cmanp::cli_train {
namespace {

using training::Acquisition;
using training::Kernel;
using training::OptimiseResult;

struct Options {
  std::string model, picture;
  training::OptimiseSettings settings;
  bool json = false;
};

const std::map<std::string, Kernel> kKernels{
    {"rbf", Kernel::rbf}, {"matern", Kernel::matern}, {"periodic", Kernel::periodic}};
const std::map<std::string, Acquisition> kAcquisitions{{"ei", Acquisition::expected_improvement},
                                                       {"ucb", Acquisition::bound}};

void draw(const std::string& picture, const std::vector<OptimiseResult>& results) {
  plots::LinePlot plot;
  plot.title = "Looking for the least value of a function";
  plot.x_label = "observations";
  plot.y_label = "least value seen, above the least there is";
  plot.log_y = true;
  for (const OptimiseResult& result : results) {
    plots::Series series{result.method, {}};
    for (std::size_t i = 0; i < result.regret.size(); ++i) {
      series.points.x.push_back(static_cast<double>(i + 1));
      series.points.y.push_back(std::max(result.regret[i], 1e-6));
    }
    plot.series.push_back(std::move(series));
  }
  plots::draw(picture, {900, 450}, plots::script_of(plot));
}

void print(const std::vector<OptimiseResult>& results, bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const OptimiseResult& result : results) {
      all.push_back({{"method", result.method},
                     {"regret", result.regret},
                     {"standard_error", result.standard_error},
                     {"seconds_of_a_round", result.seconds}});
    }
    return cli::print_json(all);
  }
  cli::Output output;
  output.text("observations");
  for (const OptimiseResult& result : results) output.text(fmt::format(",{}", result.method));
  const std::size_t rounds = results.front().regret.size();
  for (std::size_t i = 0; i < rounds; ++i) {
    if ((i + 1) % 5 != 0 && i != 0 && i + 1 != rounds) continue;
    output.text(fmt::format("\n{}", i + 1));
    for (const OptimiseResult& result : results) output.text(fmt::format(",{:.4f}", result.regret[i]));
  }
  output.text("\n");
  output.flush();
}

void run(const Options& options) {
  if (!options.picture.empty()) {
    cli::check_output(options.picture, {options.model});
    plots::check_can_draw(options.picture);
  }
  const Model model = Model::load(options.model);
  std::vector<OptimiseResult> results;
  {
    cli::ProgressBar bar("optimising", options.settings.functions, "functions");
    results = training::optimise(model, options.settings, [&](std::size_t done) { bar.update(done, done); });
  }
  print(results, options.json);
  if (!options.picture.empty()) draw(options.picture, results);
}

}  // namespace

void add_bandit_optimise(CLI::App& bandit) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = cli::add_verb(
      bandit, "optimise", "Bayesian optimisation of functions of one variable, by a model and by a fitted process",
      "cmanp bandit optimise --model models/gp.cmanp --kernel matern --curves regret.png\n"
      "Prints how far the least value seen is above the least there is, after so many observations.");
  cli::add_model(verb, options->model)->required();
  training::OptimiseSettings& settings = options->settings;
  const auto count = [&](const char* name, std::size_t& value, std::size_t least, const char* description) {
    verb->add_option(name, value, description)
        ->check(CLI::Range(least, std::size_t{100000}))
        ->capture_default_str()
        ->type_name("N");
  };
  verb->add_option("--kernel", settings.kernel, "Of the functions")
      ->transform(CLI::CheckedTransformer(kKernels))
      ->type_name("rbf|matern|periodic");
  verb->add_option("--acquisition", settings.acquisition, "Where to look next: by expected improvement, or by bound")
      ->transform(CLI::CheckedTransformer(kAcquisitions))
      ->type_name("ei|ucb");
  verb->add_option("--exploration", settings.exploration, "Times the deviation, of ucb")
      ->check(cli::number_between(0.0, 1e6))
      ->capture_default_str();
  count("--functions", settings.functions, 1, "Functions to optimise");
  count("--grid", settings.grid, 2, "Places of a function, evenly in [-2, 2]");
  count("--rounds", settings.rounds, 1, "Observations of each");
  verb->add_option("--seed", settings.seed, "Decides about the functions")->capture_default_str()->type_name("N");
  verb->add_option("--curves", options->picture, "A picture of it: .png, .svg or .pdf")->type_name("FILE");
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train
