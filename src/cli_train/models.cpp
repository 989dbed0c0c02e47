// cmanp models: the family, with sizes and with how its memory grows.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/verbs.hpp"
#include "training/model_kind.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::cli_train {
namespace {

struct ModelsOptions {
  std::string preset = "paper";
  bool json = false;
};

// Of the paper; the sizes of their models.
constexpr const char* kExperiments[] = {"gp", "emnist", "celeba"};

// Of a preset, the keys of the model alone.
std::int64_t parameters(const std::string& model, const std::string& experiment, const std::string& preset) {
  const std::vector<std::string> keys = training::config_keys(model);
  nlohmann::ordered_json sizes = nlohmann::ordered_json::object();
  const nlohmann::ordered_json all = training::preset(preset, model);
  for (const std::string& key : keys) {
    if (all.contains(key)) sizes[key] = all[key];
  }
  const training::ModelConfig config = training::default_config(model, experiment);
  return training::make_model(model, parse_config(model, sizes, config))->parameter_count();
}

nlohmann::ordered_json describe(const training::ModelKind& kind, const std::string& preset) {
  nlohmann::ordered_json entry{{"model", kind.name}, {"parameters", nlohmann::ordered_json::object()}};
  for (const char* experiment : kExperiments) {
    entry["parameters"][experiment] = parameters(kind.name, experiment, preset);
  }
  const training::MemoryGrowth& memory = kind.memory;
  entry["memory"] = {{"condition", memory.condition_n},
                     {"query_context", memory.query_n},
                     {"query_targets", memory.query_m},
                     {"update_context", memory.update_n},
                     {"update_new", memory.update_u}};
  entry["lean"] = kind.lean;
  return entry;
}

void run(const ModelsOptions& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const training::ModelKind& kind : training::model_kinds()) all.push_back(describe(kind, options.preset));
  if (options.json) return cli::print_json(all);
  cli::Output output;
  constexpr const char* kRow = "{:<10} {:>10} {:>10} {:>10}   {:<9} {:<7} {:<7} {:<7} {:<7} {}\n";
  output.text(
      fmt::format(fmt::runtime(kRow), "", "parameters", "", "", "condition", "query", "", "update", "", "runs"));
  output.text(
      fmt::format(fmt::runtime(kRow), "model", "gp", "emnist", "celeba", "in N", "in N", "in M", "in N", "in U", "in"));
  std::size_t row = 0;
  for (const training::ModelKind& kind : training::model_kinds()) {
    const auto& sizes = all[row++]["parameters"];
    const training::MemoryGrowth& memory = kind.memory;
    output.text(fmt::format(fmt::runtime(kRow), kind.name, sizes["gp"].get<std::int64_t>(),
                            sizes["emnist"].get<std::int64_t>(), sizes["celeba"].get<std::int64_t>(),
                            memory.condition_n, memory.query_n, memory.query_m, memory.update_n, memory.update_u,
                            kind.lean ? "cmanp" : "cmanp-train"));
  }
  output.text(
      "Memory here, as N points of context, M targets or U new points grow, beside the points themselves (-: no such\n"
      "phase, a query does it all). Attention stores no scores: what is quadratic in the paper's table is linear "
      "here,\n"
      "but for joint covariances of all targets.\n");
  output.flush();
}

}  // namespace

void add_models(CLI::App& app) {
  auto options = std::make_shared<ModelsOptions>();
  CLI::App* verb = cli::add_verb(app, "models", "The family: parameter counts and memory", "cmanp models --json");
  verb->add_option("--preset", options->preset, "Sizes to count")
      ->check(CLI::IsMember(training::preset_names()))
      ->capture_default_str();
  cli::add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli_train
