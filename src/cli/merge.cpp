// cmanp merge: one state out of many, as if one context had seen it all.
#include <fmt/format.h>

#include <cmanp/context.hpp>
#include <cmanp/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/state_lock.hpp"
#include "cli/verbs.hpp"
#include "runtime/state_data.hpp"

namespace cmanp::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> states;
  std::string output, model;
  bool wait = false;
  bool json = false;
};

// What is pending stays so: only the model can fold it in.
std::uint64_t merge_without_model(const MergeOptions& options) {
  runtime::StateData merged = runtime::read_state(options.states.front());
  for (std::size_t i = 1; i < options.states.size(); ++i) {
    const runtime::StateData other = runtime::read_state(options.states[i]);
    try {
      merged.merge(other);
    } catch (const runtime::NeedsModel& error) {
      throw Error(fmt::format("{}: {}; give it by --model", options.states[i], error.what()));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", options.states[i], error.what()));
    }
  }
  runtime::write_state(options.output, merged);
  return merged.points;
}

std::uint64_t merge_with_model(const MergeOptions& options) {
  const Model model = Model::load(options.model);
  Context merged = Context::load(model, options.states.front());
  for (std::size_t i = 1; i < options.states.size(); ++i) {
    const Context other = Context::load(model, options.states[i]);
    try {
      merged.merge(other);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", options.states[i], error.what()));
    }
  }
  merged.save(options.output);
  return merged.size();
}

void run(const MergeOptions& options) {
  // The first may be the output, too: then the others are folded into it.
  std::vector<std::string> inputs(options.states.begin() + 1, options.states.end());
  inputs.push_back(options.model);
  check_output(options.output, inputs);
  const files::FileLock lock = lock_state(options.output, options.wait);
  const std::uint64_t points = options.model.empty() ? merge_without_model(options) : merge_with_model(options);
  tell(fmt::format("{} points from {} states", points, options.states.size()));
  if (options.json) {
    print_json({{"state", options.output}, {"states", options.states.size()}, {"points", points}});
  }
}

}  // namespace

void add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* verb = add_verb(app, "merge", "Makes one state out of many of the same model",
                            "cmanp merge monday.state tuesday.state -o both.state");
  verb->add_option("states", options->states, "State files, in any order")->required()->type_name("FILE");
  verb->add_option("--output,-o", options->output, "The state file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  add_wait(verb, options->wait);
  add_model(verb, options->model)
      ->description("The model of the states, which folds in what is pending in them: needed for many states");
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
