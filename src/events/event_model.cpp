#include "events/event_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "files/quote.hpp"
#include "runtime/config_json.hpp"
#include "runtime/tensor_names.hpp"

namespace cmanp::events {
namespace {

void check_is_cmhp(const files::Safetensors& file) {
  const auto model = file.metadata().find("model");
  if (model != file.metadata().end() && model->second == cmhp_name) return;
  throw Error(fmt::format("{}: holds {}; streams of events need a model cmhp", file.name(),
                          model == file.metadata().end() ? "no event model" : files::quote(model->second)),
              ErrorKind::wrong_model);
}

}  // namespace

std::size_t EventModel::bytes() const {
  return encoder.bytes() + time_embedding.bytes() + mark_embedding.bytes() + previous_embedding.bytes() +
         recent_embedding.bytes() + start_token.bytes() + norm.bytes() + time_head.bytes() +
         (mark_head ? mark_head->bytes() : 0) + (recent_head ? recent_head->bytes() : 0) +
         (event_rates.size() + time_rates.size()) * sizeof(double);
}

std::shared_ptr<const EventModel> EventModel::parse(const files::Safetensors& file) {
  check_is_cmhp(file);
  auto model = std::make_shared<EventModel>();
  model->config = parse_cmhp(file);
  model->domain = parse_domain(file);
  const CmhpConfig& config = model->config;
  if (config.marks != model->domain.mark_names.size()) {
    throw Error(fmt::format("{}: names {} marks, but its configuration has {}", file.name(),
                            model->domain.mark_names.size(), config.marks));
  }
  const files::TensorViews& tensors = file.tensors();
  runtime::check_tensors(tensors, expected_tensors(config), cmhp_name, file.name());
  model->hash = hash_model(config, model->domain, tensors);
  for (const auto& [name, tensor] : tensors) model->parameters += tensor.elements();
  for (std::uint32_t i = 0; i < config.marks; ++i) model->mark_numbers[model->domain.mark_names[i]] = i;

  const std::string& name = file.name();
  model->encoder = runtime::build_encoder(config.blocks(), tensors, name);
  model->time_embedding = runtime::build_mlp(tensors, name, "time_embedding", 2);
  model->time_head = runtime::build_mlp(tensors, name, "time_head", 2);
  model->norm = runtime::build_norm(tensors, name, "norm");
  const std::vector<float> start = runtime::read_values(tensors, name, "start_token");
  model->start_token = kernels::Buffer<float>(kernels::padded(config.d_model));
  std::copy(start.begin(), start.end(), model->start_token.begin());
  if (config.marks > 0) {
    model->mark_head = runtime::build_mlp(tensors, name, "mark_head", 2);
    const auto table = [&](const char* tensor) {
      const std::vector<float> values = runtime::read_values(tensors, name, tensor);
      kernels::Buffer<float> buffer(values.size());
      std::copy(values.begin(), values.end(), buffer.begin());
      return buffer;
    };
    model->mark_embedding = table("mark_embedding.weight");
    if (config.previous_mark) model->previous_embedding = table("previous_embedding.weight");
    if (config.recent_marks > 0) {
      model->recent_embedding = table("recent_embedding.weight");
      model->recent_head = runtime::build_mlp(tensors, name, "recent_head", 2);
    }
  }
  if (config.decay) {
    for (const float rate : runtime::read_values(tensors, name, "decay")) {
      std::vector<double>& rates = model->event_rates.size() < config.states() ? model->event_rates : model->time_rates;
      rates.push_back(std::exp(static_cast<double>(rate)));
    }
  }
  return model;
}

std::shared_ptr<const EventModel> EventModel::load(const std::filesystem::path& path) {
  const files::Safetensors file = files::Safetensors::open(path);
  auto model = parse(file);
  file.check_unchanged();
  return model;
}

files::Metadata model_metadata(const CmhpConfig& config, const EventDomain& domain, const std::string& provenance) {
  return {{"format", runtime::model_format},
          {"format_version", runtime::model_format_version},
          {"model", cmhp_name},
          {"config", to_json(config).dump()},
          {"domain", to_json(domain).dump()},
          {"provenance", provenance}};
}

}  // namespace cmanp::events
