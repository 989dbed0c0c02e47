// cmanp-train: the verbs that need libtorch. `cmanp` starts it for them, and it speaks as `cmanp`.
#include "cli/program.hpp"
#include "cli_train/verbs.hpp"

namespace cmanp::cli_train {
namespace {

void add_verbs(CLI::App& app) {
  add_train(app);
  add_eval(app);
  add_export(app);
  add_models(app);
  add_bench(app);
}

}  // namespace
}  // namespace cmanp::cli_train

int main(int argc, char** argv) {
  return cmanp::cli::run_program({.description = "Trains and evaluates neural processes: the whole family.",
                                  .footer = "`cmanp VERB --help` explains a verb and shows an example.\n"
                                            "The verbs that use a trained model are in `cmanp --help`.",
                                  .add_verbs = cmanp::cli_train::add_verbs},
                                 argc, argv);
}
