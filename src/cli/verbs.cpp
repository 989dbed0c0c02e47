#include "cli/verbs.hpp"

#include "cli/training_half.hpp"
#include "cli/training_verbs.hpp"

namespace cmanp::cli {
namespace {

void add_verbs(CLI::App& app) {
  add_predict(app);
  add_plot(app);
  add_complete(app);
  add_score(app);
  add_calibrate(app);
  add_stream(app);
  add_condition(app);
  add_merge(app);
  add_inspect(app);
  add_units(app);
  add_import(app);
  add_init(app);
  add_data(app);
  add_forecast(app);
  add_events(app);
  add_bandit(app);
  add_bench(app);
}

}  // namespace

Program lean_program() {
  return {.description = "Predictions with uncertainty from endless streams, in constant memory.",
          .footer =
              "`cmanp VERB --help` explains a verb and shows an example.\n"
              "The verbs train, eval, export, judge, models, reproduce (the paper's tables and figures), signals,\n"
              "bench train and bandit train belong to the training half, cmanp-train, which also runs those\n"
              "models of the family that are not cmanp or cmanpand, and trains models of events.",
          .add_verbs = add_verbs,
          .other_verbs = training_verbs,
          .before = check_verb_runs_here,
          .hand_over = run_training_half};
}

}  // namespace cmanp::cli
