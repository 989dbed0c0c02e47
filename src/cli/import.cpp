// cmanp import: weights of the public PyTorch implementation into a model file.
#include <fmt/format.h>

#include <cmanp/model.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::cli {
namespace {

struct ImportOptions {
  std::string reference, output;
  bool json = false;
};

void run(const ImportOptions& options) {
  check_can_write(options.output);
  runtime::write_model(options.output, runtime::import_reference(options.reference));
  const Model model = Model::load(options.output);
  fmt::print(stderr, "cmanp: {}: {} with {} parameters, from {}\n", options.output, model.config().model_name(),
             model.parameters(), options.reference);
  if (options.json) {
    print_json({{"file", options.output},
                {"model", model.config().model_name()},
                {"parameters", model.parameters()},
                {"hash", model.hash()}});
  }
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* verb = add_verb(app, "import", "Takes over weights of the public PyTorch implementation",
                            "cmanp import reference.safetensors -o gp.cmanp");
  verb->add_option("reference", options->reference, "A state dict as safetensors, its configuration in the metadata")
      ->required()
      ->type_name("FILE");
  verb->add_option("--output,-o", options->output, "The model file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
