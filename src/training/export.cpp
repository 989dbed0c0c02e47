#include "training/export.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>

#include "files/quote.hpp"
#include "runtime/config_json.hpp"
#include "training/state.hpp"

namespace cmanp::training {
namespace {

bool runs_lean(const std::string& model) { return model == "cmanp" || model == "cmanpand"; }

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }
std::int64_t whole(std::size_t value) { return static_cast<std::int64_t>(value); }

const std::string& entry(const files::Safetensors& file, const std::string& name) {
  const auto found = file.metadata().find(name);
  if (found != file.metadata().end()) return found->second;
  throw Error(fmt::format("{}: not a cmanp model: its metadata has no \"{}\"", file.name(), name));
}

Normalisation identity(const ModelConfig& config) {
  Config shape;
  shape.dim_x = size(config.dim_x);
  shape.dim_y = size(config.dim_y);
  return Normalisation::identity(shape);
}

ModelConfig read_config(const files::Safetensors& file, const std::string& model) {
  if (runs_lean(model)) return from_runtime(runtime::parse_config(file));
  const std::string& format = entry(file, "format");
  if (format != runtime::reference_format && format != runtime::model_format) {
    throw Error(fmt::format("{}: not a cmanp model: its format is {}", file.name(), files::quote(format)));
  }
  try {
    const auto settings = nlohmann::json::parse(entry(file, "config"));
    for (const char* key : {"dim_x", "dim_y"}) {
      if (settings.is_object() && !settings.contains(key)) throw Error(fmt::format("config: \"{}\" is missing", key));
    }
    return parse_config(model, settings);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: metadata \"config\" is not JSON: {}", file.name(), error.what()));
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

}  // namespace

Config to_runtime(const std::string& model, const ModelConfig& config) {
  if (!runs_lean(model)) {
    throw Error(fmt::format("the lean half runs cmanp and cmanpand only, not {}", model));
  }
  Config lean;
  lean.dim_x = size(config.dim_x);
  lean.dim_y = size(config.dim_y);
  lean.d_model = size(config.d_model);
  lean.emb_depth = size(config.emb_depth);
  lean.dim_feedforward = size(config.dim_feedforward);
  lean.nhead = size(config.nhead);
  lean.num_layers = size(config.num_layers);
  lean.num_latents = size(config.num_latents);
  lean.num_latents_per_layer = size(config.num_latents_per_layer);
  lean.latent_dim = size(config.latent_width());
  lean.layer_latent_dim = size(config.layer_latent_width());
  lean.bound_std = config.bound_std;
  lean.residual = config.residual;
  lean.fourier_features = size(config.fourier_features);
  if (model == "cmanp") return lean;
  lean.covariance = config.cov_approx;
  lean.num_std_layers = size(config.num_std_layers);
  lean.prj_dim = size(config.prj_dim);
  lean.prj_depth = size(config.prj_depth);
  lean.diag_depth = size(config.diag_depth);
  return lean;
}

ModelConfig from_runtime(const Config& lean) {
  ModelConfig config;
  config.dim_x = whole(lean.dim_x);
  config.dim_y = whole(lean.dim_y);
  config.d_model = whole(lean.d_model);
  config.emb_depth = whole(lean.emb_depth);
  config.dim_feedforward = whole(lean.dim_feedforward);
  config.nhead = whole(lean.nhead);
  config.num_layers = whole(lean.num_layers);
  config.num_latents = whole(lean.num_latents);
  config.num_latents_per_layer = whole(lean.num_latents_per_layer);
  config.latent_dim = whole(lean.latent_dim);
  config.layer_latent_dim = whole(lean.layer_latent_dim);
  config.bound_std = lean.bound_std;
  config.residual = lean.residual;
  config.fourier_features = whole(lean.fourier_features);
  if (lean.diagonal()) return config;
  config.cov_approx = lean.covariance;
  config.num_std_layers = whole(lean.num_std_layers);
  config.prj_dim = whole(lean.prj_dim);
  config.prj_depth = whole(lean.prj_depth);
  config.diag_depth = whole(lean.diag_depth);
  return config;
}

runtime::ModelData export_model(const NeuralProcess& model, const std::string& provenance) {
  return export_model(model, provenance, identity(model.config()));
}

runtime::ModelData export_model(const NeuralProcess& model, const std::string& provenance,
                                const Normalisation& normalisation) {
  runtime::ModelData data{to_runtime(model.model_name(), model.config()), normalisation, provenance, {}};
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
  if (runs_lean(model.model_name())) return runtime::write_model(path, export_model(model, provenance, normalisation));
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
  Config shape;
  shape.dim_x = size(config.dim_x);
  shape.dim_y = size(config.dim_y);
  LoadedModel loaded{make_model(name, config), runtime::parse_normalisation(file, shape)};
  load_state(*loaded.model, file);
  return loaded;
}

}  // namespace cmanp::training
