// cmanp export: a run's model as one file, for the lean half and for sharing.
#include "training/export.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/table_model.hpp"
#include "cli_train/verbs.hpp"
#include "training/kinds/task_kind.hpp"
#include "training/trainer/run_folder.hpp"

namespace cmanp::cli_train {
namespace {

struct ExportOptions {
  std::string run;
  std::string output;
  bool last_weights = false;
  bool json = false;
};

// A model file is passed on: of the places on this machine, their names alone go with it.
nlohmann::ordered_json settings_to_travel(const training::Settings& settings) {
  nlohmann::ordered_json json = to_json(settings);
  std::vector<std::string> places = training::task_kinds().at(settings.task).places;
  places.emplace_back("start");
  for (const std::string& key : places) {
    const auto place = std::filesystem::path(json[key].get<std::string>()).lexically_normal();
    json[key] = (place.has_filename() ? place : place.parent_path()).filename().string();
  }
  return json;
}

void run(const ExportOptions& options) {
  cli::check_can_write(options.output);
  const training::TrainedModel trained = training::load_run(options.run, !options.last_weights);
  const bool averaged = trained.settings.ema > 0 && !options.last_weights;
  const bool kept = trained.step != trained.last_step;
  nlohmann::ordered_json provenance{{"weights", averaged ? "trained, averaged" : "trained"},
                                    {"step", trained.step},
                                    {"settings", settings_to_travel(trained.settings)},
                                    {"knows", training::task_kinds().at(trained.settings.task).knows(trained.settings)},
                                    {"cmanp", CMANP_VERSION}};
  if (trained.settings.task == "table" && !options.last_weights) {
    add_widths(provenance, options.run);
  }
  training::save_model(options.output, *trained.model, provenance.dump(), training::units_of(trained.settings));
  const nlohmann::ordered_json result{{"file", options.output},
                                      {"model", trained.settings.model},
                                      {"parameters", trained.model->parameter_count()},
                                      {"step", trained.step}};
  if (options.json) {
    cli::print_json(result);
  } else {
    cli::note(fmt::format("{}: {} with {} parameters after {} steps{}", options.output, trained.settings.model,
                          trained.model->parameter_count(), trained.step,
                          kept ? fmt::format(", the best of {}", trained.last_step) : ""));
  }
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = cli::add_verb(app, "export", "Writes a run's model as one file",
                                 "cmanp export runs/nano -o nano.cmanp && cmanp inspect nano.cmanp");
  verb->add_option("run", options->run, "The run's folder")->required()->type_name("RUN");
  verb->add_option("--output,-o", options->output, "The model file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--last-weights", options->last_weights,
                 "Those of the last step as they are: neither averaged nor kept as the best");
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train
