// cmanp units: a model that is asked, and answers, in the units of one's data.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/intervals.hpp"
#include "cli/model_files.hpp"
#include "cli/model_summary.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "files/json.hpp"
#include "runtime/config_json.hpp"
#include "runtime/model_data.hpp"
#include "runtime/rewrite_model.hpp"

namespace cmanp::cli {
namespace {

struct UnitsOptions {
  std::string model, output;
  std::vector<Interval> x, y;
  bool json = false;
};

// Where a model's file does not say: what models are trained on, and two deviations to either side of nothing.
constexpr Interval kUsualX{-2, 2}, kUsualY{-2, 2};

// Of a model of any kind, its dimensions alone.
Config dimensions_of(const files::Safetensors& file) {
  runtime::is_reference(file);  // throws where it is no model of this version
  const auto config = files::parse_json(metadata_entry(file, "config"), file.name() + ": metadata \"config\"");
  Config dimensions;
  for (const auto& [key, member] : {std::pair{"dim_x", &Config::dim_x}, std::pair{"dim_y", &Config::dim_y}}) {
    const bool there = config.is_object() && config.contains(key) && config.at(key).is_number_unsigned();
    const std::size_t value = there ? config.at(key).get<std::size_t>() : 0;
    if (value == 0 || value > 1'000'000)
      throw Error(fmt::format("{}: is no model of points: no \"{}\"", file.name(), key));
    dimensions.*member = value;
  }
  return dimensions;
}

void run(const UnitsOptions& options) {
  if (options.x.empty() && options.y.empty()) throw CLI::ValidationError("units", "--x, --y or both must be given");
  check_output(options.output, {options.model});
  const files::Safetensors file = files::Safetensors::open(options.model);
  const Config dimensions = dimensions_of(file);
  const measures::Knowledge knowledge = measures::knowledge_of(file);
  Normalisation units = runtime::parse_normalisation(file, dimensions);
  if (!options.x.empty()) {
    std::vector<Interval> known;
    for (std::size_t c = 0; c < dimensions.dim_x; ++c) known.push_back(knowledge.x_of(c).value_or(kUsualX));
    Units found = units_between(options.x, known, "--x");
    units.x_shift = std::move(found.shift);
    units.x_scale = std::move(found.scale);
  }
  if (!options.y.empty()) {
    Units found = units_between(options.y, std::vector<Interval>(dimensions.dim_y, kUsualY), "--y");
    units.y_shift = std::move(found.shift);
    units.y_scale = std::move(found.scale);
  }
  runtime::rewrite_model(file, options.output, {{"normalisation", runtime::to_json(units)}});
  const files::Safetensors written = files::Safetensors::open(options.output);
  tell(fmt::format("{}: {} in units of its own", options.output, metadata_entry(written, "model")));
  if (options.json) {
    print_json({{"file", options.output},
                {"hash", hash_of(written)},
                {"normalisation", files::parse_json(runtime::to_json(units), options.output)}});
  }
}

}  // namespace

void add_units(CLI::App& app) {
  auto options = std::make_shared<UnitsOptions>();
  CLI::App* verb = add_verb(app, "units", "A model in the units of your data",
                            "cmanp units gp --x 0:3600 --y 20:25 -o sensor.cmanp");
  verb->add_option("model", options->model, "The model: a file, or the name of one that is installed")
      ->required()
      ->transform(model_by_name())
      ->type_name("FILE");
  add_intervals(verb, "--x", options->x, "What lies where the model was trained; once, or once for each x");
  add_intervals(verb, "--y", options->y, "Where nearly all y lie: two deviations to either side of the middle");
  verb->add_option("--output,-o", options->output, "The model file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
