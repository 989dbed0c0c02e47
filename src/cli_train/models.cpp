// cmanp models: the family, with sizes and with how its memory grows.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/verbs.hpp"
#include "training/neural_process.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::cli_train {
namespace {

struct ModelsOptions {
  std::string preset = "paper";
  bool json = false;
};

// Memory beside the points themselves, with N context points and M targets; "-": has no such phase, a query does all.
struct Growth {
  const char* model;
  const char* condition;
  const char* query;
  const char* update;
};

constexpr Growth kGrowth[] = {
    {"cnp", "1", "M", "1"},         {"canp", "N^2", "N M", "N^2"},  {"np", "1", "M", "1"},
    {"anp", "N^2", "N M", "N^2"},   {"bnp", "N", "M", "N"},         {"banp", "N^2", "N M", "N^2"},
    {"tnpd", "-", "(N+M)^2", "-"},  {"tnpnd", "-", "(N+M)^2", "-"}, {"tnpa", "-", "(N+M)^2", "-"},
    {"eqtnp", "N^2", "N M", "N^2"}, {"lbanp", "N", "M", "N"},       {"lbanpnd", "N", "M^2", "N"},
    {"cmanp", "1", "M", "1"},       {"cmanpand", "1", "M", "1"},
};

constexpr const char* kTasks[] = {"gp", "emnist", "celeba"};

std::int64_t parameters(const std::string& model, const std::string& task, const std::string& preset) {
  const training::ModelConfig config = training::default_config(model, task);
  return training::make_model(model, parse_config(model, training::preset(preset, model), config))->parameter_count();
}

nlohmann::ordered_json describe(const Growth& growth, const std::string& preset) {
  nlohmann::ordered_json entry{{"model", growth.model}, {"parameters", nlohmann::ordered_json::object()}};
  for (const char* task : kTasks) entry["parameters"][task] = parameters(growth.model, task, preset);
  entry["memory"] = {{"condition", growth.condition}, {"query", growth.query}, {"update", growth.update}};
  return entry;
}

void run(const ModelsOptions& options) {
  cli::Output output;
  if (!options.json) {
    output.text(fmt::format("{:<10} {:>12} {:>12} {:>12}   {:<10} {:<10} {}\n", "model", "gp", "emnist", "celeba",
                            "condition", "query", "update"));
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Growth& growth : kGrowth) {
    all.push_back(describe(growth, options.preset));
    if (options.json) continue;
    const auto& sizes = all.back()["parameters"];
    output.text(fmt::format("{:<10} {:>12} {:>12} {:>12}   {:<10} {:<10} {}\n", growth.model,
                            sizes["gp"].get<std::int64_t>(), sizes["emnist"].get<std::int64_t>(),
                            sizes["celeba"].get<std::int64_t>(), growth.condition, growth.query, growth.update));
  }
  if (options.json) return cli::print_json(all);
  output.text(
      "Parameters by task; memory to condition on N points, to query M targets, to take in another point (-: no such "
      "phase, a query does it all).\n");
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
