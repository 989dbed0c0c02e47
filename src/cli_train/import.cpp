// cmanp import of a model that the lean half does not run.
#include "cli/model_summary.hpp"
#include "cli/options.hpp"
#include "cli/shared_verbs.hpp"
#include "cli_train/verbs.hpp"
#include "training/export.hpp"

namespace cmanp::cli_train {
namespace {

void run_import(const cli::ImportOptions& options) {
  cli::check_output(options.output, {options.reference});
  const files::Safetensors reference = files::Safetensors::open(options.reference);
  runtime::check_reference(reference);
  const training::LoadedModel loaded = training::open_model(options.reference);
  training::save_model(options.output, *loaded.model, runtime::reference_provenance(reference), loaded.normalisation);
  const files::Safetensors written = files::Safetensors::open(options.output);
  cli::print_import(options, loaded.model->model_name(), cli::count_parameters(written), cli::hash_of(written));
}

}  // namespace

void add_import(CLI::App& app) { cli::add_import_verb(app, run_import); }

}  // namespace cmanp::cli_train
