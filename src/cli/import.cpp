// cmanp import: weights of the public PyTorch implementation into a model file.
#include <cmanp/model.hpp>

#include "cli/options.hpp"
#include "cli/shared_verbs.hpp"
#include "cli/training_half.hpp"
#include "cli/verbs.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::cli {
namespace {

void run_import(const ImportOptions& options) {
  check_output(options.output, {options.reference});
  check_reference_runs_here(options.reference);
  runtime::write_model(options.output, runtime::import_reference(options.reference));
  const Model model = Model::load(options.output);
  print_import(options, model.config().model_name(), model.parameters(), model.hash());
}

}  // namespace

void add_import(CLI::App& app) { add_import_verb(app, run_import); }

}  // namespace cmanp::cli
