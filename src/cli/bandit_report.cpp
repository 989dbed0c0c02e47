// cmanp bandit report: the table of all games, and pictures of regret and of what a round costs.
#include "cli/bandit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <filesystem>
#include <memory>
#include <set>

#include "bandit/standings.hpp"
#include "cli/bandit_run.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "plots/gnuplot.hpp"
#include "plots/line_plot.hpp"

namespace cmanp::cli {
namespace {

using bandit::GameResult;
using bandit::Standing;

struct ReportOptions {
  std::vector<std::string> results, methods;
  std::string curves, costs;
  bool paper = false, json = false;
};

std::vector<GameResult> games_of(const ReportOptions& options) {
  std::vector<GameResult> games;
  for (const std::string& path : options.results) {
    if (!std::filesystem::exists(path)) throw Error(fmt::format("{}: no such file", path));
    for (GameResult& game : bandit::read_results(path)) {
      const bool twice = std::any_of(games.begin(), games.end(), [&](const GameResult& other) {
        return other.is(game.method, game.delta, game.seed, game.rounds);
      });
      if (!twice) games.push_back(std::move(game));
    }
  }
  if (games.empty()) throw Error("there are no games in these files");
  return games;
}

std::vector<std::string> methods_of(const std::vector<Standing>& standings) {
  std::vector<std::string> methods;
  for (const Standing& one : standings) {
    if (std::find(methods.begin(), methods.end(), one.method) == methods.end()) methods.push_back(one.method);
  }
  return methods;
}

const Standing* find(const std::vector<Standing>& standings, const std::string& method, double delta) {
  const auto found = std::find_if(standings.begin(), standings.end(),
                                  [&](const Standing& one) { return one.method == method && one.delta == delta; });
  return found == standings.end() ? nullptr : &*found;
}

// A row a method, a column a delta: in percent of the uniform player's regret.
void print_table(const std::vector<Standing>& standings, const std::vector<bandit::Published>& published) {
  std::set<double> deltas;
  for (const Standing& one : standings) deltas.insert(one.delta);
  Output output;
  output.text("| method | games |");
  for (const double delta : deltas) output.text(fmt::format(" δ {} |", delta));
  output.text("\n|---|---|");
  for (std::size_t i = 0; i < deltas.size(); ++i) output.text("---|");
  for (const std::string& method : methods_of(standings)) {
    std::size_t least = SIZE_MAX;
    std::string cells;
    for (const double delta : deltas) {
      const Standing* one = find(standings, method, delta);
      if (one != nullptr) least = std::min(least, one->games);
      cells += one == nullptr ? " |" : fmt::format(" {:.2f} ± {:.2f} |", one->regret.mean, one->regret.deviation);
    }
    output.text(fmt::format("\n| {} | {} |{}", method, least, cells));
  }
  if (deltas == std::set<double>{0.7, 0.9, 0.95, 0.99, 0.995}) {
    for (const bandit::Published& one : published) {
      output.text(fmt::format("\n| {} | 50 |", one.method));
      for (const double regret : one.regret) output.text(fmt::format(" {:.2f} |", regret));
    }
  }
  output.text("\n");
  output.flush();
}

// The end of every piece of a game, in rounds.
std::vector<double> rounds_of(const Standing& standing) {
  std::vector<double> rounds;
  for (std::size_t piece = 1; piece <= GameResult::kPieces; ++piece) {
    rounds.push_back(static_cast<double>(piece * standing.rounds / GameResult::kPieces));
  }
  return rounds;
}

double x_step(const std::vector<Standing>& standings) { return static_cast<double>(standings.front().rounds) / 4; }

// A panel a delta; the last has the names.
void draw_curves(const std::string& picture, const std::vector<Standing>& standings) {
  std::set<double> deltas;
  for (const Standing& one : standings) deltas.insert(one.delta);
  const std::size_t columns = std::min<std::size_t>(3, deltas.size() + 1);
  const std::size_t rows = (deltas.size() + columns) / columns;  // one more panel for the names
  std::string script = fmt::format("set multiplot layout {},{}\n", rows, columns);
  plots::LinePlot plot;
  for (const double delta : deltas) {
    plot = {};
    plot.title = fmt::format("δ = {}", delta);
    plot.x_label = "rounds";
    plot.y_label = "cumulative regret";
    plot.x_step = x_step(standings);
    plot.log_y = true;
    plot.key = false;
    for (const std::string& method : methods_of(standings)) {
      plots::Series series{method, {}};
      if (const Standing* one = find(standings, method, delta); one != nullptr) {
        series.points = {rounds_of(*one), one->curve};
        for (double& regret : series.points.y) regret = std::max(regret, 0.1);  // noise may make it a gain
      }
      plot.series.push_back(std::move(series));
    }
    script += plots::script_of(plot);
  }
  script += plots::names_of(plot) + "unset multiplot\n";
  plots::draw(picture, {static_cast<int>(420 * columns), static_cast<int>(330 * rows)}, script);
}

// What a round costs as a game goes on, at the delta of which most methods have games.
void draw_costs(const std::string& picture, const std::vector<Standing>& standings) {
  plots::LinePlot plot;
  plot.title = "What a round costs: to choose, and to learn";
  plot.x_label = "rounds before it";
  plot.y_label = "milliseconds a round";
  plot.x_step = x_step(standings);
  plot.log_y = true;
  for (const std::string& method : methods_of(standings)) {
    const auto one = std::find_if(standings.begin(), standings.end(),
                                  [&](const Standing& standing) { return standing.method == method; });
    plots::Series series{method, {rounds_of(*one), one->seconds}};
    for (double& cost : series.points.y) cost *= 1000;
    plot.series.push_back(std::move(series));
  }
  plots::draw(picture, {900, 450}, plots::script_of(plot));
}

void run(const ReportOptions& options, const std::vector<bandit::Published>& published) {
  for (const std::string& picture : {options.curves, options.costs}) {
    if (picture.empty()) continue;
    check_output(picture, options.results);
    plots::check_can_draw(picture);
  }
  std::vector<Standing> standings = bandit::standings(games_of(options));
  if (!options.methods.empty()) {
    const auto& wanted = options.methods;
    std::erase_if(standings, [&](const Standing& one) {
      return std::find(wanted.begin(), wanted.end(), one.method) == wanted.end();
    });
    if (standings.empty()) throw Error("there are no games of these methods");
  }
  if (options.json) {
    print_standings(standings, true);
  } else {
    print_table(standings, published);
  }
  if (!options.curves.empty()) draw_curves(options.curves, standings);
  if (!options.costs.empty()) draw_costs(options.costs, standings);
}

}  // namespace

void add_bandit_report(CLI::App* bandit, const std::function<std::vector<bandit::Published>()>& published) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = add_verb(*bandit, "report", "The table of all games, and pictures",
                            "cmanp bandit report games.jsonl --curves regret.png --costs costs.png");
  verb->add_option("results", options->results, "Files of `cmanp bandit run`")->required()->type_name("FILE");
  verb->add_option("--method", options->methods, "Only these, by their names in the results")->type_name("NAME");
  verb->add_option("--curves", options->curves, "A picture of regrets over rounds: .png, .svg or .pdf")
      ->type_name("FILE");
  verb->add_option("--costs", options->costs, "A picture of what a round costs: .png, .svg or .pdf")->type_name("FILE");
  verb->add_flag("--paper", options->paper, "The paper's rows below, where the deltas are the paper's");
  add_json(verb, options->json);
  verb->callback(
      [options, published] { run(*options, options->paper ? published() : std::vector<bandit::Published>()); });
}

}  // namespace cmanp::cli
