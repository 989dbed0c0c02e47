#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>

#include "files/json.hpp"
#include "runtime/config_json.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::runtime {

void write_model(const std::filesystem::path& path, const ModelData& data) {
  validate(data.config);
  files::parse_json(data.provenance, "a model's provenance");
  const auto expected = expected_tensors(data.config);
  files::TensorViews views;
  for (const auto& [name, tensor] : data.tensors) {
    const auto shape = expected.find(name);
    if (shape == expected.end() || shape->second != tensor.shape) {
      throw Error(fmt::format("tensor \"{}\" does not fit the model's configuration", name));
    }
    views[name] = files::view_of(tensor.values, tensor.shape);
    if (views[name].elements() != tensor.values.size()) {
      throw Error(fmt::format("tensor \"{}\" has {} values for its shape", name, tensor.values.size()));
    }
  }
  for (const auto& [name, shape] : expected) {
    if (!views.contains(name)) throw Error(fmt::format("tensor \"{}\" is missing from the model", name));
  }
  files::write_safetensors(path,
                           {{"format", model_format},
                            {"format_version", model_format_version},
                            {"model", data.config.model_name()},
                            {"config", to_json(data.config)},
                            {"normalisation", to_json(data.normalisation)},
                            {"provenance", data.provenance}},
                           views);
}

}  // namespace cmanp::runtime
