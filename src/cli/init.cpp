// cmanp init: an untrained model of any shape, for trying things out and for benchmarks.
#include <fmt/format.h>

#include <cmanp/model.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "runtime/config_keys.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::cli {
namespace {

struct InitOptions {
  std::string preset = "paper";
  std::string model = "cmanp";
  std::map<std::string, std::size_t> sizes;  // by flag, where given
  bool bound_std = false;
  std::string residual = "normalised";
  std::string coordinates = "absolute";
  double spacing = Config{}.spacing;
  std::string covariance;  // empty: cholesky where there is one
  std::uint64_t seed = 0;
  std::string output;
  bool json = false;
};

// Flags of their own names, and the numbers that they set.
struct Size {
  const char* flag;
  const char* key;
};

constexpr Size kSizes[] = {
    {"--dim-x", "dim_x"},
    {"--dim-y", "dim_y"},
    {"--d-model", "d_model"},
    {"--heads", "nhead"},
    {"--feedforward", "dim_feedforward"},
    {"--depth", "emb_depth"},
    {"--layers", "num_layers"},
    {"--latents", "num_latents"},
    {"--block-latents", "num_latents_per_layer"},
    {"--latent-dim", "latent_dim"},
    {"--block-latent-dim", "layer_latent_dim"},
    {"--fourier", "fourier_features"},
};

Config preset_config(const std::string& preset, bool joint) {
  Config config;  // the paper's size
  if (preset == "nano") {
    for (const auto& [name, value] : runtime::nano_size) {
      const runtime::NumberKey& key = *runtime::find_number(name);
      if (joint || !key.joint) config.*key.member = value;
    }
    config.latent_dim = config.layer_latent_dim = config.d_model;
  }
  return config;
}

Config make_config(const InitOptions& options) {
  Config config = preset_config(options.preset, options.model == "cmanpand");
  const auto width = options.sizes.find("--d-model");
  if (width != options.sizes.end()) config.latent_dim = config.layer_latent_dim = width->second;
  for (const Size& size : kSizes) {
    const auto given = options.sizes.find(size.flag);
    if (given != options.sizes.end()) config.*runtime::find_number(size.key)->member = given->second;
  }
  config.bound_std = options.bound_std;
  config.residual = options.residual == "plain" ? Residual::plain : Residual::normalised;
  config.coordinates = options.coordinates == "relative" ? Coordinates::relative : Coordinates::absolute;
  config.spacing = options.spacing;
  if (options.model == "cmanpand") {
    config.covariance = options.covariance == "lowrank" ? Covariance::lowrank : Covariance::cholesky;
  }
  if (options.model == "cmanp" && !options.covariance.empty()) {
    throw CLI::ValidationError("--covariance", "only --model cmanpand has one");
  }
  return config;
}

void run(const InitOptions& options) {
  check_can_write(options.output);
  runtime::write_model(options.output, runtime::random_model(make_config(options), options.seed));
  const Model model = Model::load(options.output);
  tell(fmt::format("{}: {} with {} parameters. It is UNTRAINED: its weights are random, and so are its answers.",
                   options.output, model.config().model_name(), model.parameters()));
  if (options.json) {
    print_json({{"file", options.output},
                {"model", model.config().model_name()},
                {"parameters", model.parameters()},
                {"hash", model.hash()},
                {"trained", false}});
  }
}

}  // namespace

void add_init(CLI::App& app) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* verb = add_verb(app, "init", "Makes an untrained model with random weights",
                            "cmanp init --preset nano --dim-x 2 --seed 1 -o random.cmanp");
  verb->add_option("--output,-o", options->output, "The model file to write, replaced in one step")
      ->required()
      ->type_name("FILE");
  verb->add_option("--preset", options->preset, "Sizes to start from")
      ->check(CLI::IsMember({"paper", "nano"}))
      ->capture_default_str();
  verb->add_option("--model", options->model, "cmanp, or cmanpand with joint covariances")
      ->check(CLI::IsMember({"cmanp", "cmanpand"}))
      ->capture_default_str();
  for (const Size& size : kSizes) {
    verb->add_option_function<std::size_t>(
            size.flag, [options, &size](std::size_t value) { options->sizes[size.flag] = value; },
            runtime::find_number(size.key)->meaning)
        ->type_name("N");
  }
  verb->add_flag("--bound-std", options->bound_std, "Keep standard deviations above 0.05");
  verb->add_option("--residual", options->residual,
                   "What a sub-layer adds its result to: its input, normalised or plain")
      ->check(CLI::IsMember({"normalised", "plain"}))
      ->capture_default_str();
  verb->add_option("--covariance", options->covariance, "How cmanpand builds covariances (default: cholesky)")
      ->check(CLI::IsMember({"cholesky", "lowrank"}));
  CLI::Option* coordinates =
      verb->add_option("--coordinates", options->coordinates, "What attentions know: x, or differences of x only")
          ->check(CLI::IsMember({"absolute", "relative"}))
          ->capture_default_str();
  verb->add_option("--spacing", options->spacing, "Between latents, in relative coordinates")
      ->check(positive_number())
      ->needs(coordinates)
      ->capture_default_str()
      ->type_name("X");
  verb->add_option("--seed", options->seed, "Seed of the weights")->capture_default_str()->type_name("N");
  add_json(verb, options->json);
  verb->callback([options] { run(*options); });
}

}  // namespace cmanp::cli
