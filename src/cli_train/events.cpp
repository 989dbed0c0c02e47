// cmanp events: what of it needs libtorch.
#include "cli_train/events.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/verbs.hpp"
#include "training/events/event_run.hpp"

namespace cmanp::cli_train {
namespace {

struct EventExportOptions {
  std::string run, output;
  bool json = false;
};

void run_export(const EventExportOptions& options) {
  cli::check_can_write(options.output);
  const training::events::TrainedEvents trained = training::events::load_best(options.run);
  const nlohmann::ordered_json provenance{{"weights", "trained, best on validation"},
                                          {"step", trained.step},
                                          {"validation_nll", trained.validation_nll},
                                          {"settings", to_json(trained.settings)},
                                          {"cmanp", CMANP_VERSION}};
  export_events(options.output, trained, provenance.dump());
  const nlohmann::ordered_json result{{"file", options.output},
                                      {"model", trained.settings.model},
                                      {"step", trained.step},
                                      {"validation_nll", trained.validation_nll}};
  if (options.json) return cli::print_json(result);
  cli::note(fmt::format("{}: {} after {} steps, validation NLL {:.4f}", options.output, trained.settings.model,
                        trained.step, trained.validation_nll));
}

}  // namespace

void add_events_export(CLI::App& events) {
  auto options = std::make_shared<EventExportOptions>();
  CLI::App* verb = cli::add_verb(events, "export", "Writes a run's best weights as one file, for streams",
                                 "cmanp events export runs/purchases -o purchases.cmanp");
  verb->add_option("run", options->run, "The run's folder")->required()->type_name("RUN");
  verb->add_option("--output,-o", options->output, "The model file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  cli::add_json(verb, options->json);
  verb->callback([options] { run_export(*options); });
}

void add_events(CLI::App& app) {
  CLI::App* verb = cli::add_verb(app, "events", "Models of event sequences: when the next one comes, and of which kind",
                                 "cmanp events train --data purchases.txt --minutes 5 --out runs/purchases");
  verb->require_subcommand(1);
  add_events_train(*verb);
  add_events_eval(*verb);
  add_events_baselines(*verb);
  add_events_export(*verb);
}

}  // namespace cmanp::cli_train
