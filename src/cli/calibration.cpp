#include "cli/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/judgements.hpp"
#include "cli/output.hpp"
#include "files/safetensors.hpp"
#include "measures/calibration.hpp"
#include "plots/gnuplot.hpp"
#include "plots/reliability_plot.hpp"
#include "runtime/config_json.hpp"
#include "runtime/rewrite_model.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {
namespace {

measures::Points read_data(const CalibrateOptions& options, const Config& config) {
  measures::Points points;
  for (const std::string& path : options.data) {
    const tables::Table table =
        tables::read_table(path, config.dim_x, config.dim_y, tables::Rows::points, options.given.reading);
    points.x.insert(points.x.end(), table.x.begin(), table.x.end());
    points.y.insert(points.y.end(), table.y.begin(), table.y.end());
  }
  return points;
}

// Errors in units of their deviations.
std::vector<double> standardised(const measures::HeldOut& held_out) {
  std::vector<double> z;
  for (std::size_t i = 0; i < held_out.y.size(); ++i) {
    z.push_back((held_out.y[i] - held_out.mean[i]) / held_out.std[i]);
  }
  return z;
}

void draw(const CalibrateOptions& options, const std::vector<double>& z, const measures::Judgement& judgement) {
  plots::ReliabilityPlot plot;
  plot.title = options.title;
  for (const double one : z) plot.below.push_back(measures::normal_below(one));
  std::sort(plot.below.begin(), plot.below.end());
  for (const measures::Measured& share : judgement.pit) {
    plot.pit.push_back(share.value);
    plot.pit_error.push_back(share.standard_error);
  }
  plots::draw(options.plot, {1000, 480}, plots::script_of(plot));
}

// The model with its deviations as the held-out data have them, and what was changed.
nlohmann::ordered_json write_calibrated(const CalibrateOptions& options, Config config,
                                        const measures::Calibration& found) {
  const double before = config.deviation_scale;
  config.deviation_scale = before * found.deviation_scale;
  config.band_scales = found.band_scales;
  runtime::rewrite_model(files::Safetensors::open(options.model), options.output,
                         {{"config", runtime::to_json(config)}});
  const auto& bands = config.band_scales;
  if (found.changes()) {
    tell(fmt::format("{}: deviations times {:.4g}, bands of 50, 90 and 95 % times {:.4g}, {:.4g} and {:.4g}",
                     options.output, found.deviation_scale, bands[0], bands[1], bands[2]));
  } else {
    tell(fmt::format("{}: the same model; held-out data ask for no other deviations", options.output));
  }
  return {{"file", options.output},
          {"deviation_scale", config.deviation_scale},
          {"band_scales", config.band_scales},
          {"gain", {{"value", found.gain.value}, {"standard_error", found.gain.standard_error}}}};
}

}  // namespace

void check_outputs(const CalibrateOptions& options) {
  std::vector<std::string> inputs = options.data;
  inputs.push_back(options.model);
  if (!options.output.empty()) check_output(options.output, inputs);
  if (options.plot.empty()) return;
  check_output(options.plot, inputs);
  plots::check_can_draw(options.plot);
}

void answer_calibrate(const CalibrateOptions& options, const Config& config, const measures::PredictFrom& predict) {
  const measures::HeldOut held_out =
      measures::hold_out(read_data(options, config), config.dim_x, config.dim_y, options.folds, options.seed, predict);
  measures::Judge judge(config.band_scales);
  judge.add(held_out.y, held_out.mean, held_out.std, config.dim_y);
  const measures::Judgement judgement = judge.judgement();
  const std::vector<double> z = standardised(held_out);
  if (!options.plot.empty()) draw(options, z, judgement);
  nlohmann::ordered_json result{{"log_likelihood", judgement.log_likelihood.value},
                                {"points", judgement.points},
                                {"standard_error", judgement.log_likelihood.standard_error}};
  result.update(json_of(judgement));
  if (!options.output.empty()) {
    result["calibrated"] = write_calibrated(options, config, measures::calibrate(z, held_out.fold, options.folds));
  }
  if (options.json) return print_json(result);
  Output output;
  output.text(table_of(judgement));
  output.flush();
}

void add_calibrate_verb(CLI::App& app, const std::function<void(const CalibrateOptions&)>& run) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb =
      add_verb(app, "calibrate", "How honest a model's deviations are on data of yours, and a model of better ones",
               "cmanp calibrate --model gp --data readings.csv --plot honest.png -o calibrated.cmanp");
  add_model(verb, options->model)->required();
  verb->add_option("--data,-d", options->data, "CSV files of points; each part of them is predicted from the others")
      ->required()
      ->type_name("FILE");
  verb->add_option("--folds", options->folds, "Parts that are held out in turn")
      ->check(CLI::Range(std::size_t{2}, std::size_t{1000}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--seed", options->seed, "Seed of the parts")->capture_default_str()->type_name("N");
  CLI::Option* plot =
      verb->add_option("--plot", options->plot, "Draw reliability and PIT: .png, .svg or .pdf")->type_name("FILE");
  verb->add_option("--title", options->title, "A line above the picture")->needs(plot)->type_name("TEXT");
  verb->add_option("--output,-o", options->output,
                   "Write a model whose deviations and bands are rescaled where held-out data show that it helps")
      ->type_name("FILE");
  add_data_flags(verb, options->given);
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options, run] { run(*options); });
}

}  // namespace cmanp::cli
