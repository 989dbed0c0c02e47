// cmanp condition: files of observations, of any size, into one small state.
#include <fmt/format.h>

#include <chrono>
#include <cmanp/context.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/points.hpp"
#include "cli/process_memory.hpp"
#include "cli/state_lock.hpp"
#include "cli/verbs.hpp"
#include "runtime/state_data.hpp"
#include "streams/outside_warner.hpp"

namespace cmanp::cli {
namespace {

struct ConditionOptions {
  std::string model, state, from;
  std::vector<std::string> data;
  RangeFlags places;
  std::size_t threads = default_threads();
  bool wait = false;
  DataFlags given;
  bool json = false;
};

void run(const ConditionOptions& options) {
  std::vector<std::string> inputs = options.data;
  inputs.push_back(options.model);
  check_output(options.state, inputs);  // --from may be the same: then the state goes on
  const files::FileLock lock = lock_state(options.state, options.wait);
  const Model model = Model::load(options.model);
  const ContextOptions context_options{
      .threads = options.threads, .range = options.places.range, .outside = options.places.outside};
  const std::uint64_t before = options.from.empty() ? 0 : runtime::read_state(options.from).points;
  const auto start = std::chrono::steady_clock::now();
  Watching watching(options.model, model.normalisation(), options.given.strict);
  Context context = open_context(model, context_options, options.from, options.data, options.given, watching);
  watching.finish();
  context.save(options.state);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::uint64_t points = context.size() - before;
  tell(fmt::format("{} points in {:.2f} s, {} in the state", points, seconds, context.size()));
  if (options.json) {
    print_json({{"state", options.state},
                {"points", points},
                {"total_points", context.size()},
                {"seconds", seconds},
                {"peak_rss_mb", peak_rss_mb()},
                {"threads", options.threads}});
  }
}

}  // namespace

void add_condition(CLI::App& app) {
  auto options = std::make_shared<ConditionOptions>();
  CLI::App* verb = add_verb(app, "condition", "Takes in files of observations of any size and saves the state",
                            "cmanp condition --model gp.cmanp --state week.state monday.csv tuesday.csv");
  add_model(verb, options->model)->required();
  verb->add_option("--state,-s", options->state, "The state file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  verb->add_option("data", options->data, "CSV files of observations (- is standard input)")
      ->required()
      ->type_name("FILE");
  verb->add_option("--from", options->from, "Start from this state instead of an empty one")->type_name("FILE");
  add_range_flags(verb, options->places);
  add_wait(verb, options->wait);
  add_data_flags(verb, options->given);
  add_threads(verb, options->threads);
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
