#include "training/export.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>

#include "files/json.hpp"
#include "runtime/config_json.hpp"
#include "runtime/config_keys.hpp"
#include "training/model_kind.hpp"
#include "training/state.hpp"

namespace cmanp::training {
namespace {

bool runs_lean(const std::string& model) { return model_kinds().at(model).lean; }

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

const std::string& entry(const files::Safetensors& file, const std::string& name) {
  const auto found = file.metadata().find(name);
  if (found != file.metadata().end()) return found->second;
  throw Error(fmt::format("{}: not a cmanp model: its metadata has no \"{}\"", file.name(), name));
}

ModelConfig read_config(const files::Safetensors& file, const std::string& model) {
  if (runs_lean(model)) {
    const Config lean = runtime::parse_config(file);
    if (lean.deviation_scale == Config().deviation_scale) return from_runtime(lean);
    throw Error(
        fmt::format("{}: has rescaled deviations (`cmanp calibrate`), which the lean half alone knows; take the "
                    "model that it was made from",
                    file.name()));
  }
  runtime::is_reference(file);  // throws where it is no file of these
  try {
    const auto settings =
        nlohmann::json(files::parse_json(entry(file, "config"), file.name() + ": metadata \"config\""));
    for (const char* key : {"dim_x", "dim_y"}) {
      if (settings.is_object() && !settings.contains(key)) throw Error(fmt::format("config: \"{}\" is missing", key));
    }
    return parse_config(model, settings);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.name(), error.what()));
  }
}

// A file that holds far less than its configuration asks for must not make us allocate that.
void check_size(const files::Safetensors& file, const std::string& model, const ModelConfig& config) {
  double elements = 0;
  for (const auto& [name, view] : file.tensors()) elements += static_cast<double>(view.elements());
  if (rough_parameter_count(model, config) > 16 * elements + 1e6) {
    throw Error(
        fmt::format("{}: holds {:.0f} numbers, far fewer than its configuration asks for", file.name(), elements));
  }
}

// Where the task's data were in frames, as its kind says, the model works in them, over all x that it was shown there.
void set_frames(Config& config, const std::string& provenance) {
  const auto json = files::try_parse_json(provenance);
  const nlohmann::ordered_json::json_pointer frame("/knows/frame"), x("/knows/x/0");
  if (!json || !json->is_object() || !json->contains(frame)) return;
  config.frames = true;
  if (!config.relative() || !json->contains(x) || json->at(x).size() != 2) return;
  config.range_low = json->at(x)[0].get<double>();
  config.range_high = json->at(x)[1].get<double>();
}

}  // namespace

Config shape_of(const ModelConfig& config) {
  Config shape;
  shape.dim_x = size(config.dim_x);
  shape.dim_y = size(config.dim_y);
  return shape;
}

Config to_runtime(const std::string& model, const ModelConfig& config) {
  if (!runs_lean(model)) {
    throw Error(fmt::format("the lean half runs cmanp and cmanpand only, not {}", model));
  }
  Config lean;
  if (model_kinds().at(model).keys & kJoint) lean.covariance = config.cov_approx;
  ModelConfig ours = config;
  for (const runtime::NumberKey& key : runtime::config_numbers) {
    if (!key.joint || !lean.diagonal()) lean.*key.member = size(number_of(ours, key.name));
  }
  lean.coordinates = config.coordinates;
  lean.spacing = config.spacing;
  lean.range_low = config.range_low;
  lean.range_high = config.range_high;
  lean.longest_length = config.longest_length;
  lean.absolute_features = config.absolute_features;
  lean.latent_dim = size(config.latent_width());
  lean.layer_latent_dim = size(config.layer_latent_width());
  if (lean.relative()) {  // the grid's, not the model's
    lean.num_latents = Config{}.num_latents;
    lean.num_latents_per_layer = Config{}.num_latents_per_layer;
  }
  lean.bound_std = config.bound_std;
  lean.least_std = config.least_std;
  lean.residual = config.residual;
  return lean;
}

ModelConfig from_runtime(const Config& lean) {
  ModelConfig config;
  if (!lean.diagonal()) config.cov_approx = lean.covariance;
  for (const runtime::NumberKey& key : runtime::config_numbers) {
    if (!key.joint || !lean.diagonal()) number_of(config, key.name) = static_cast<std::int64_t>(lean.*key.member);
  }
  config.coordinates = lean.coordinates;
  config.spacing = lean.spacing;
  config.range_low = lean.range_low;
  config.range_high = lean.range_high;
  config.longest_length = lean.longest_length;
  config.absolute_features = lean.absolute_features;
  config.bound_std = lean.bound_std;
  config.least_std = lean.least_std;
  config.residual = lean.residual;
  return config;
}

runtime::ModelData export_model(const NeuralProcess& model, const std::string& provenance) {
  return export_model(model, provenance, Normalisation::identity(shape_of(model.config())));
}

runtime::ModelData export_model(const NeuralProcess& model, const std::string& provenance,
                                const Normalisation& normalisation) {
  runtime::ModelData data{to_runtime(model.model_name(), model.config()), normalisation, provenance, {}};
  set_frames(data.config, provenance);
  const auto tensors = to_tensors(model);
  for (const auto& [name, shape] : runtime::expected_tensors(data.config)) {
    const torch::Tensor& tensor = tensors.at(name);
    const float* values = tensor.data_ptr<float>();
    data.tensors[name] = {shape, std::vector<float>(values, values + tensor.numel())};
  }
  return data;
}

void save_model(const std::filesystem::path& path, const NeuralProcess& model, const std::string& provenance,
                const Normalisation& normalisation) {
  if (runs_lean(model.model_name())) {
    return runtime::write_model(path, export_model(model, provenance, normalisation));
  }
  const auto tensors = to_tensors(model);
  files::TensorViews views;
  for (const auto& [name, tensor] : tensors) {
    const std::vector<std::size_t> shape(tensor.sizes().begin(), tensor.sizes().end());
    views[name] = files::view_of(std::span(tensor.data_ptr<float>(), size(tensor.numel())), shape);
  }
  files::write_safetensors(path,
                           {{"format", runtime::model_format},
                            {"format_version", runtime::model_format_version},
                            {"model", model.model_name()},
                            {"config", to_json(model.model_name(), model.config()).dump()},
                            {"normalisation", runtime::to_json(normalisation)},
                            {"provenance", provenance}},
                           views);
}

LoadedModel open_model(const std::filesystem::path& path) {
  const files::Safetensors file = files::Safetensors::open(path);
  const std::string& name = entry(file, "model");
  try {
    check_model_name(name);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file.name(), error.what()));
  }
  const ModelConfig config = read_config(file, name);
  check_size(file, name, config);
  LoadedModel loaded{make_model(name, config), runtime::parse_normalisation(file, shape_of(config))};
  load_state(*loaded.model, file);
  file.check_unchanged();
  return loaded;
}

}  // namespace cmanp::training
