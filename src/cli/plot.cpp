// cmanp plot: a picture of what a model makes of observations of a function of one variable.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <cmanp/predictor.hpp>
#include <memory>
#include <vector>

#include "cli/options.hpp"
#include "cli/points.hpp"
#include "cli/verbs.hpp"
#include "pictures/function_plot.hpp"
#include "pictures/gnuplot.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {
namespace {

struct PlotOptions {
  std::string model, state, truth, title, out;
  std::vector<std::string> context, show;
  double from = -2, to = 2;
  std::size_t points = 201;
  std::size_t draws = 0;
  std::size_t block = SampleOptions{}.block;
  std::uint64_t seed = 0;
  std::size_t threads = default_threads();
};

pictures::Points points_of(const tables::Table& table, std::size_t dim_y, std::size_t channel) {
  pictures::Points points{table.x, {}};
  for (std::size_t i = 0; i < table.rows; ++i) points.y.push_back(table.y[i * dim_y + channel]);
  return points;
}

// A state does not know its observations, so that those are drawn that were given as files.
tables::Table observations_of(const PlotOptions& options, const Config& config) {
  tables::Table all;
  for (const auto* paths : {&options.context, &options.show}) {
    for (const std::string& path : *paths) {
      const tables::Table table = tables::read_table(path, config.dim_x, config.dim_y, tables::Rows::points);
      all.x.insert(all.x.end(), table.x.begin(), table.x.end());
      all.y.insert(all.y.end(), table.y.begin(), table.y.end());
      all.rows += table.rows;
    }
  }
  return all;
}

void check(const PlotOptions& options, const Model& model) {
  if (model.config().dim_x != 1) {
    throw Error(fmt::format("{}: plot draws functions of one variable, and this model's have {}", options.model,
                            model.config().dim_x));
  }
  if (!(options.from < options.to)) throw Error("--from must be below --to");
  if (std::count(options.context.begin(), options.context.end(), "-") > 0) {
    throw Error("plot reads its observations twice, to learn and to draw, so standard input will not do");
  }
  check_can_write(options.out);
  pictures::check_can_draw(options.out);
}

void run(const PlotOptions& options) {
  const Model model = Model::load(options.model);
  check(options, model);
  const Config& config = model.config();
  const std::size_t block = std::clamp<std::size_t>(options.points, 1, options.block);
  Context context = make_context(model, {.threads = options.threads, .block = block}, options.state, options.context);
  std::vector<double> x(options.points), mean(x.size() * config.dim_y), std(mean.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = options.from + (options.to - options.from) * static_cast<double>(i) / static_cast<double>(x.size() - 1);
  }
  context.predict(x, mean, std);
  std::vector<double> samples(options.draws * mean.size());
  if (options.draws > 0) {
    sample(context, x, samples, {.draws = options.draws, .block = block, .seed = options.seed});
  }
  const tables::Table observed = observations_of(options, config);
  tables::Table truth;
  if (!options.truth.empty()) {
    truth = tables::read_table(options.truth, config.dim_x, config.dim_y, tables::Rows::points);
  }
  std::string script =
      fmt::format("set xrange [{}:{}]\nset multiplot layout {},1\n", options.from, options.to, config.dim_y);
  for (std::size_t channel = 0; channel < config.dim_y; ++channel) {
    const auto along = [&](const double* values) {
      std::vector<double> picked;
      for (std::size_t i = 0; i < x.size(); ++i) picked.push_back(values[i * config.dim_y + channel]);
      return picked;
    };
    pictures::FunctionPlot plot;
    plot.title = options.title;
    if (config.dim_y > 1) plot.y_label = fmt::format("y{}", channel + 1);
    plot.x = x;
    plot.mean = along(mean.data());
    plot.std = along(std.data());
    for (std::size_t d = 0; d < options.draws; ++d) plot.samples.push_back(along(&samples[d * mean.size()]));
    plot.observations = points_of(observed, config.dim_y, channel);
    plot.truth = points_of(truth, config.dim_y, channel);
    script += pictures::script_of(plot);
  }
  pictures::draw(options.out, {900, static_cast<int>(450 * config.dim_y)}, script + "unset multiplot\n");
}

}  // namespace

void add_plot(CLI::App& app) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* verb = add_verb(app, "plot", "A picture of a function of one variable as a model sees it",
                            "cmanp plot --model gp.cmanp --context seen.csv --sample 5 -o picture.png\n"
                            "gnuplot draws it (Debian: gnuplot-nox).");
  add_model(verb, options->model)->required();
  verb->add_option("--context,-c", options->context, "CSV files of observations")->type_name("FILE");
  verb->add_option("--state,-s", options->state, "A state made by condition, stream or merge, before any --context")
      ->type_name("FILE");
  verb->add_option("--show", options->show, "CSV files of points to draw and not to learn, such as those of the state")
      ->type_name("FILE");
  verb->add_option("--truth", options->truth, "CSV file with the function itself, to draw beside")->type_name("FILE");
  verb->add_option("--from", options->from, "The picture's least x")->capture_default_str()->type_name("X");
  verb->add_option("--to", options->to, "The picture's greatest x")->capture_default_str()->type_name("X");
  verb->add_option("--points", options->points, "Places along x")
      ->check(CLI::Range(std::size_t{2}, std::size_t{100000}))
      ->capture_default_str()
      ->type_name("N");
  CLI::Option* draws = verb->add_option("--sample", options->draws, "Draw this many joint samples, too")
                           ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
                           ->type_name("N");
  add_block(verb, options->block, "Places drawn jointly before they are fed back")->capture_default_str()->needs(draws);
  verb->add_option("--seed", options->seed, "Seed of the samples")->capture_default_str()->needs(draws)->type_name("N");
  verb->add_option("--title", options->title, "A line above the picture")->type_name("TEXT");
  verb->add_option("-o,--out", options->out, "The picture: .png or .svg")->required()->type_name("FILE");
  add_threads(verb, options->threads);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
