#include "cli/plotting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmanp/error.hpp>
#include <numeric>
#include <utility>

#include "cli/intervals.hpp"
#include "plots/function_plot.hpp"
#include "plots/gnuplot.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {
namespace {

std::vector<double> even_places(double from, double to, std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return x;
}

plots::Points points_of(const tables::Table& table, std::size_t dim_y, std::size_t channel) {
  plots::Points points{table.x, {}};
  for (std::size_t i = 0; i < table.rows; ++i) points.y.push_back(table.y[i * dim_y + channel]);
  return points;
}

// A state does not know its observations, so that those are drawn that were given as files.
tables::Table observations_of(const PlotOptions& options, const Config& config) {
  tables::Table all;
  for (const auto* paths : {&options.context, &options.show}) {
    for (const std::string& path : *paths) {
      const tables::Table table =
          tables::read_table(path, config.dim_x, config.dim_y, tables::Rows::points, options.data.reading);
      all.x.insert(all.x.end(), table.x.begin(), table.x.end());
      all.y.insert(all.y.end(), table.y.begin(), table.y.end());
      all.rows += table.rows;
      all.times = all.times || table.times;
      all.names = table.names;
    }
  }
  return all;
}

// The function itself, from left to right whatever its rows' order: a line is drawn through it.
tables::Table truth_of(const PlotOptions& options, const Config& config) {
  if (options.truth.empty()) return {};
  const tables::Table read =
      tables::read_table(options.truth, config.dim_x, config.dim_y, tables::Rows::points, options.data.reading);
  std::vector<std::size_t> order(read.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return read.x[a] < read.x[b]; });
  tables::Table sorted;
  sorted.rows = read.rows;
  for (const std::size_t row : order) {
    sorted.x.push_back(read.x[row]);
    const auto y = read.y.begin() + static_cast<std::ptrdiff_t>(row * config.dim_y);
    sorted.y.insert(sorted.y.end(), y, y + static_cast<std::ptrdiff_t>(config.dim_y));
  }
  return sorted;
}

// As far as the truth goes, or the observations and a little beyond; where nothing is known, what models are trained
// for: two units around the middle.
Interval range_of(const PlotOptions& options, const Normalisation& units, const tables::Table& observed,
                  const tables::Table& truth) {
  constexpr double kTrainedFor = 2, kBeyond = 0.05;
  const double unit = units.x_scale[0], middle = units.x_shift[0];
  std::vector<double> x = observed.x;
  x.insert(x.end(), truth.x.begin(), truth.x.end());
  Interval range{middle - kTrainedFor * unit, middle + kTrainedFor * unit};
  if (!x.empty()) {
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    const double beyond = *least == *most ? unit : truth.rows > 0 ? 0 : kBeyond * (*most - *least);
    range = {*least - beyond, *most + beyond};
  }
  range = {options.from.value_or(range.low), options.to.value_or(range.high)};
  if (range.low < range.high) return range;
  throw Error(fmt::format("--from must be below --to; the picture would go from {} to {}", range.low, range.high));
}

// The place of every step of a walk over [0, count) that is spread evenly from its first step on: 0, 1/2, 1/4, 3/4, …
std::vector<std::size_t> coarse_to_fine(std::size_t count) {
  std::vector<std::size_t> order;
  const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    std::size_t place = 0;
    for (unsigned bit = 0; bit < bits; ++bit) place |= (i >> bit & 1) << (bits - 1 - bit);
    if (place < count) order.push_back(place);
  }
  return order;
}

struct Samples {
  std::vector<double> x;  // ascending
  std::vector<double> y;  // [draw][place][dim_y]
};

// At no more places than a context that models are trained for has, and coarse to fine: a model feeds its own draws
// back, and left to right at places close by it would be shown what no observer ever saw.
Samples draw_samples(const runtime::Learner& learner, const PlotOptions& options, const Interval& range) {
  constexpr std::size_t kMost = 48;
  const std::size_t places = std::min(options.points, kMost), dim_y = learner.config().dim_y;
  Samples samples{even_places(range.low, range.high, places), {}};
  samples.y.resize(options.draws * places * dim_y);
  if (options.draws == 0) return samples;
  const std::vector<std::size_t> order = coarse_to_fine(places);
  std::vector<double> x, drawn(samples.y.size());
  for (const std::size_t place : order) x.push_back(samples.x[place]);
  learner.sample(x, drawn, {.draws = options.draws, .block = options.block, .seed = options.seed});
  for (std::size_t i = 0; i < options.draws * places; ++i) {
    const std::size_t to = i / places * places + order[i % places];
    std::copy_n(&drawn[i * dim_y], dim_y, &samples.y[to * dim_y]);
  }
  return samples;
}

void check(const PlotOptions& options, const Config& config) {
  if (config.dim_x != 1) {
    throw Error(
        fmt::format("{}: plot draws functions of one variable, and this model's have {}", options.model, config.dim_x));
  }
  if (std::count(options.context.begin(), options.context.end(), "-") > 0) {
    throw Error("plot reads its observations twice, to learn and to draw, so standard input will not do");
  }
  std::vector<std::string> inputs{options.model, options.state, options.truth};
  inputs.insert(inputs.end(), options.context.begin(), options.context.end());
  inputs.insert(inputs.end(), options.show.begin(), options.show.end());
  check_output(options.out, inputs);
  plots::check_can_draw(options.out);
}

}  // namespace

void answer_plot(const PlotOptions& options, const Config& config, const Normalisation& units, const Learn& learn) {
  check(options, config);
  const tables::Table observed = observations_of(options, config), truth = truth_of(options, config);
  const Interval range = range_of(options, units, observed, truth);
  const std::vector<double> x = even_places(range.low, range.high, options.points);
  const std::unique_ptr<runtime::Learner> learner = learn(x);
  std::vector<double> mean(x.size() * config.dim_y), std(mean.size());
  learner->predict(x, mean, std);
  const Samples samples = draw_samples(*learner, options, range);
  const bool times = options.times || observed.times;
  std::string script =
      plots::x_axis(range.low, range.high, times) + fmt::format("set multiplot layout {},1\n", config.dim_y);
  for (std::size_t channel = 0; channel < config.dim_y; ++channel) {
    const auto along = [&](const double* values, std::size_t count) {
      std::vector<double> picked;
      for (std::size_t i = 0; i < count; ++i) picked.push_back(values[i * config.dim_y + channel]);
      return picked;
    };
    plots::FunctionPlot plot;
    plot.title = options.title;
    if (config.dim_y > 1) plot.y_label = fmt::format("y{}", channel + 1);
    if (!observed.names.empty()) {
      plot.x_label = observed.names[0];
      plot.y_label = observed.names[1 + channel];
    }
    plot.x = x;
    plot.mean = along(mean.data(), x.size());
    plot.std = along(std.data(), x.size());
    plot.sample_x = samples.x;
    for (std::size_t d = 0; d < options.draws; ++d) {
      plot.samples.push_back(along(&samples.y[d * samples.x.size() * config.dim_y], samples.x.size()));
    }
    plot.observations = points_of(observed, config.dim_y, channel);
    plot.truth = points_of(truth, config.dim_y, channel);
    script += plots::script_of(plot);
  }
  plots::draw(options.out, {900, static_cast<int>(450 * config.dim_y)}, script + "unset multiplot\n");
}

void add_plot_verb(CLI::App& app, const std::function<void(const PlotOptions&)>& run) {
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
  const auto add_end = [&](const char* flag, std::optional<double> PlotOptions::*end, const char* which) {
    const auto take = [options, flag, end](const std::string& text) {
      const Place place = parse_place(text, flag);
      (*options).*end = place.at;
      options->times = options->times || place.is_time;
    };
    const std::string what = fmt::format("The picture's {} x, a number or a time (default: by the data)", which);
    verb->add_option_function<std::string>(flag, take, what)->type_name("X");
  };
  add_end("--from", &PlotOptions::from, "least");
  add_end("--to", &PlotOptions::to, "greatest");
  add_range_flags(verb, options->places);
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
  verb->add_option("-o,--out", options->out, "The picture: .png, .svg or .pdf")->required()->type_name("FILE");
  add_data_flags(verb, options->data);
  add_threads(verb, options->threads);
  verb->callback([options, run] {
    PlotOptions given = *options;
    given.block = std::min(given.points, given.block);  // no more working space than there are places to fill it
    run(given);
  });
}

}  // namespace cmanp::cli
