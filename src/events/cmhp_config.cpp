#include "events/cmhp_config.hpp"

#include <fmt/format.h>

#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/finite.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"
#include "runtime/config_json.hpp"
#include "runtime/hash.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::events {
namespace {

using json = nlohmann::ordered_json;

struct Number {
  const char* key;
  std::size_t CmhpConfig::*member;
  std::size_t least, most;
};

constexpr std::array numbers{
    Number{"d_model", &CmhpConfig::d_model, 1, 4096},
    Number{"nhead", &CmhpConfig::nhead, 1, 4096},
    Number{"dim_feedforward", &CmhpConfig::dim_feedforward, 1, 16384},
    Number{"num_layers", &CmhpConfig::num_layers, 1, 100},
    Number{"num_latents", &CmhpConfig::num_latents, 1, 4096},
    Number{"num_latents_per_layer", &CmhpConfig::num_latents_per_layer, 1, 4096},
    Number{"components", &CmhpConfig::components, 1, 4096},
    Number{"head_width", &CmhpConfig::head_width, 1, 65536},
    Number{"marks", &CmhpConfig::marks, 0, 1'000'000},
    Number{"recent_marks", &CmhpConfig::recent_marks, 0, 1000},
};

struct Flag {
  const char* key;
  bool CmhpConfig::*member;
};

constexpr std::array flags{
    Flag{"decay", &CmhpConfig::decay},
    Flag{"last_token", &CmhpConfig::last_token},
    Flag{"previous_mark", &CmhpConfig::previous_mark},
    Flag{"normalisers", &CmhpConfig::normalisers},
};

// Frozen: the keys of format version 1, in the order in which they name a model.
constexpr std::array<std::string_view, 14> config_1{
    "d_model",    "nhead", "dim_feedforward", "num_layers", "num_latents", "num_latents_per_layer", "components",
    "head_width", "marks", "recent_marks",    "decay",      "last_token",  "previous_mark",         "normalisers"};
constexpr std::array<std::string_view, 7> domain_1{"log_mean",    "log_std", "tie_gap", "span",
                                                   "longest_gap", "from",    "marks"};

[[noreturn]] void fail(const files::Safetensors& file, const std::string& what) {
  throw Error(fmt::format("{}: {}", file.name(), what));
}

json parse_entry(const files::Safetensors& file, const std::string& entry) {
  const auto found = file.metadata().find(entry);
  if (found == file.metadata().end()) fail(file, fmt::format("not an event model: its metadata has no \"{}\"", entry));
  json parsed = files::parse_json(found->second, fmt::format("{}: metadata \"{}\"", file.name(), entry));
  if (!parsed.is_object()) fail(file, fmt::format("metadata \"{}\" is not a JSON object", entry));
  return parsed;
}

double finite_number(const files::Safetensors& file, const json& object, const char* key, bool positive) {
  const json value = object.value(key, json());
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!std::isfinite(number) || (positive && !base::positive(number))) {
    fail(file, fmt::format("domain: \"{}\" must be a finite{} number", key, positive ? " positive" : ""));
  }
  return number;
}

}  // namespace

std::size_t CmhpConfig::head_inputs() const {
  return num_latents * d_model + (last_token ? d_model : 0) + (normalisers ? states() : 0);
}

Config CmhpConfig::blocks() const {
  Config config;
  config.d_model = config.latent_dim = config.layer_latent_dim = d_model;
  config.nhead = nhead;
  config.dim_feedforward = dim_feedforward;
  config.num_layers = num_layers;
  config.num_latents = num_latents;
  config.num_latents_per_layer = num_latents_per_layer;
  config.residual = Residual::plain;
  return config;
}

void validate(const CmhpConfig& config) {
  for (const Number& number : numbers) {
    const std::size_t value = config.*number.member;
    if (value < number.least || value > number.most) {
      throw Error(
          fmt::format("config: \"{}\" is {}, but must be from {} to {}", number.key, value, number.least, number.most));
    }
  }
  if (config.recent_marks > 0 && config.marks == 0) throw Error("config: \"recent_marks\" without marks");
  runtime::validate(config.blocks());
}

std::map<std::string, std::vector<std::size_t>> expected_tensors(const CmhpConfig& config) {
  std::map<std::string, std::vector<std::size_t>> shapes;
  for (const auto& [name, shape] : runtime::expected_tensors(config.blocks())) {
    if (name == "latents" || name.starts_with("encoder.")) shapes[name] = shape;
  }
  const auto mlp = [&](const std::string& name, std::size_t in, std::size_t hidden, std::size_t out) {
    shapes[name + ".0.weight"] = {hidden, in};
    shapes[name + ".0.bias"] = {hidden};
    shapes[name + ".2.weight"] = {out, hidden};
    shapes[name + ".2.bias"] = {out};
  };
  const std::size_t d = config.d_model;
  mlp("time_embedding", kTimeFeatures, d, d);
  mlp("time_head", config.head_inputs(), config.head_width, 3 * config.components);
  shapes["start_token"] = {d};
  shapes["norm.weight"] = shapes["norm.bias"] = {d};
  if (config.decay) shapes["decay"] = {2, config.num_layers, config.nhead, config.num_latents_per_layer};
  if (config.marks > 0) {
    shapes["mark_embedding.weight"] = {config.marks, d};
    if (config.previous_mark) shapes["previous_embedding.weight"] = {config.marks, d};
    mlp("mark_head", config.head_inputs(), config.head_width, config.marks);
    if (config.recent_marks > 0) {
      shapes["recent_embedding.weight"] = {config.recent_marks + 1, d};
      mlp("recent_head", config.head_inputs(), config.head_width, config.recent_marks + 1);
    }
  }
  return shapes;
}

json to_json(const CmhpConfig& config) {
  json object;
  for (const Number& number : numbers) object[number.key] = config.*number.member;
  for (const Flag& flag : flags) object[flag.key] = config.*flag.member;
  return object;
}

json to_json(const EventDomain& domain) {
  json object{
      {"log_mean", domain.scale.log_mean}, {"log_std", domain.scale.log_std},         {"tie_gap", domain.scale.tie_gap},
      {"span", domain.scale.span},         {"longest_gap", domain.scale.longest_gap}, {"from", nullptr},
      {"marks", domain.mark_names}};
  if (domain.from) object["from"] = *domain.from;
  return object;
}

std::string hash_model(const CmhpConfig& config, const EventDomain& domain, const files::TensorViews& tensors) {
  return runtime::hash_model(runtime::naming_part(to_json(config), to_json(CmhpConfig{}), config_1),
                             runtime::naming_part(to_json(domain), to_json(EventDomain{}), domain_1), tensors);
}

CmhpConfig parse_cmhp(const files::Safetensors& file) {
  runtime::is_reference(file);  // throws where its format or version is not ours
  const json object = parse_entry(file, "config");
  CmhpConfig config;
  std::set<std::string> known;
  for (const Number& number : numbers) {
    known.insert(number.key);
    if (!object.contains(number.key)) continue;
    const json& value = object.at(number.key);
    if (!value.is_number_unsigned()) fail(file, fmt::format("config: \"{}\" must be a whole number", number.key));
    config.*number.member = value.get<std::size_t>();
  }
  for (const Flag& flag : flags) {
    known.insert(flag.key);
    if (!object.contains(flag.key)) continue;
    if (!object.at(flag.key).is_boolean()) fail(file, fmt::format("config: \"{}\" must be true or false", flag.key));
    config.*flag.member = object.at(flag.key).get<bool>();
  }
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) fail(file, fmt::format("config: unknown key {}", files::quote(key)));
  }
  try {
    validate(config);
  } catch (const Error& error) {
    fail(file, error.what());
  }
  return config;
}

EventDomain parse_domain(const files::Safetensors& file) {
  const json object = parse_entry(file, "domain");
  EventDomain domain;
  domain.scale.log_mean = finite_number(file, object, "log_mean", false);
  domain.scale.log_std = finite_number(file, object, "log_std", true);
  domain.scale.tie_gap = finite_number(file, object, "tie_gap", true);
  domain.scale.span = finite_number(file, object, "span", true);
  domain.scale.longest_gap = finite_number(file, object, "longest_gap", true);
  if (std::abs(domain.scale.log_mean) > kMostLogGap) fail(file, "domain: \"log_mean\" is beyond all gaps");
  if (object.contains("from") && !object.at("from").is_null()) domain.from = finite_number(file, object, "from", false);
  const json names = object.value("marks", json::array());
  if (!names.is_array()) fail(file, "domain: \"marks\" must be a list of names");
  for (const json& name : names) {
    if (!name.is_string()) fail(file, "domain: \"marks\" must be a list of names");
    domain.mark_names.push_back(name.get<std::string>());
  }
  return domain;
}

}  // namespace cmanp::events
