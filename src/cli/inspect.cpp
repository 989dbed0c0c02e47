// cmanp inspect: what a model or state file or a training run holds, and exactly how much memory it needs to run.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmanp/model.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/inspect_run.hpp"
#include "cli/model_files.hpp"
#include "cli/model_summary.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "files/json.hpp"
#include "files/safetensors.hpp"
#include "measures/knowledge.hpp"
#include "runtime/access.hpp"
#include "runtime/config_json.hpp"
#include "runtime/layout.hpp"
#include "runtime/model_data.hpp"
#include "runtime/state_data.hpp"

namespace cmanp::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string file;
  ContextOptions context;
  bool json = false;
};

// Other people's JSON: shown as text where it is none.
Json parse_or_text(const std::string& text) { return files::try_parse_json(text).value_or(Json(text)); }

Json describe_model(const files::Safetensors& file, const InspectOptions& options) {
  const Model model = Model::load(options.file);
  const Memory memory = model.memory(options.context);
  Json description{{"file", options.file},
                   {"format", metadata_entry(file, "format")},
                   {"format_version", metadata_entry(file, "format_version")},
                   {"model", model.config().model_name()},
                   {"parameters", model.parameters()},
                   {"hash", model.hash()},
                   {"file_bytes", std::filesystem::file_size(options.file)},
                   {"configuration", parse_or_text(runtime::to_json(model.config()))},
                   {"normalisation", parse_or_text(runtime::to_json(model.normalisation()))},
                   {"knows", measures::json_of(measures::knowledge_of(file))},
                   {"provenance", parse_or_text(metadata_entry(file, "provenance"))},
                   {"threads", options.context.threads},
                   {"block", options.context.block},
                   {"memory",
                    {{"weights", memory.weights},
                     {"state", memory.state},
                     {"cache", memory.cache},
                     {"scratch", memory.scratch},
                     {"context", memory.context()},
                     {"total", memory.total()}}}};
  if (model.config().relative()) {
    const runtime::Layout layout(runtime::Access::weights(model), options.context);
    description["range"] = runtime::to_text(layout.grid->range());
    description["latents"] = layout.latents;
    const double unit = model.normalisation().x_scale[0];  // reach is reckoned along the first x
    const auto in_x = [&](float reach) { return std::stod(fmt::format("{:.4g}", static_cast<double>(reach) * unit)); };
    const runtime::Reaches reaches = runtime::reaches(*runtime::Access::weights(model).relative);
    description["reach"] = {{"observations", in_x(reaches.context)},
                            {"latents", in_x(reaches.latents)},
                            {"targets", in_x(reaches.targets)}};
  }
  return description;
}

bool model_of_events(const files::Safetensors& file) { return metadata_entry(file, "model") == "cmhp"; }

// A model that the training half runs: what is written there, without its memory.
Json describe_other_model(const files::Safetensors& file, const InspectOptions& options) {
  runtime::is_reference(file);  // throws where its version is not ours
  return {{"file", options.file},
          {"format", metadata_entry(file, "format")},
          {"format_version", metadata_entry(file, "format_version")},
          {"model", metadata_entry(file, "model")},
          {"runs_in", model_of_events(file) ? "cmanp events" : "the training half, cmanp-train"},
          {"parameters", count_parameters(file)},
          {"hash", hash_of(file)},
          {"file_bytes", std::filesystem::file_size(options.file)},
          {"configuration", parse_or_text(metadata_entry(file, "config"))},
          {"normalisation", parse_or_text(metadata_entry(file, "normalisation"))},
          {"knows", measures::json_of(measures::knowledge_of(file))},
          {"provenance", parse_or_text(metadata_entry(file, "provenance"))}};
}

Json frame_of(const runtime::StateData& state) {
  if (state.waiting) return "yet to be found";
  return state.frame ? parse_or_text(runtime::to_json(*state.frame)) : Json("none");
}

Json describe_state(const files::Safetensors& file, const InspectOptions& options) {
  const runtime::StateData state = runtime::parse_state(file);
  Json tensors;
  for (const auto& [name, tensor] : file.tensors()) {
    tensors[name] = fmt::format("{} [{}]", files::dtype_name(tensor.dtype), fmt::join(tensor.shape, ", "));
  }
  Json description{{"file", options.file},
                   {"format", metadata_entry(file, "format")},
                   {"format_version", metadata_entry(file, "format_version")},
                   {"points", state.points},
                   {"pending_points", state.pending_count()},
                   {"frame", frame_of(state)},
                   {"model_hash", state.model_hash},
                   {"file_bytes", std::filesystem::file_size(options.file)},
                   {"tensors", tensors}};
  if (state.range) description["range"] = runtime::to_text(*state.range);
  return description;
}

Json describe_file(const InspectOptions& options) {
  const files::Safetensors file = files::Safetensors::open(options.file);
  const std::string format = metadata_entry(file, "format");
  if (format == runtime::model_format) {
    const bool lean = runtime::runs_lean(metadata_entry(file, "model")) || !file.metadata().contains("model");
    return lean ? describe_model(file, options) : describe_other_model(file, options);
  }
  if (format == runtime::state_format) return describe_state(file, options);
  if (format == runtime::reference_format) {
    throw Error(
        fmt::format("{}: weights of the public implementation; make a model of them with `cmanp import {} -o MODEL`",
                    options.file, options.file));
  }
  throw Error(fmt::format("{}: neither a model nor a state: its metadata says format \"{}\"", options.file, format));
}

void run_inspect(const InspectOptions& options) {
  const bool folder = std::filesystem::is_directory(options.file);
  Json description = folder ? describe_run(options.file) : describe_file(options);
  if (options.json) return print_json(description);
  description.erase("evaluations");  // for programs; people have the learning curve
  print_fields(description);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* verb =
      add_verb(app, "inspect", "What a model, state or training run holds, and how much memory it needs to run",
               "cmanp inspect gp.cmanp --threads 4");
  verb->add_option("file", options->file, "A model, a state, a run's folder or a checkpoint of it")
      ->required()
      ->transform(model_by_name())
      ->type_name("FILE|RUN");
  add_threads(verb, options->context.threads)->description("Threads to reckon memory for");
  add_block(verb, options->context.block, "Block of joint targets to reckon memory for")->capture_default_str();
  add_range(verb, options->context.range)
      ->description(
          "Range of x to reckon memory for, of a model in relative "
          "coordinates: LOW:HIGH, with a comma between several x");
  add_json(verb, options->json);
  verb->callback([options] { run_inspect(*options); });
}

}  // namespace cmanp::cli
