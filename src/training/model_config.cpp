#include "training/model_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <variant>

#include "files/quote.hpp"
#include "runtime/config_keys.hpp"
#include "training/model_kind.hpp"

namespace cmanp::training {
namespace {

using nlohmann::json;

using runtime::kDeepest;
using runtime::kWidest;

// One of several names, each a value of an enumeration.
struct Choice {
  std::vector<std::string> names;
  std::function<std::size_t(const ModelConfig&)> get;  // its place among the names
  std::function<void(ModelConfig&, std::size_t)> set;
};

// `names` as the preprocessor has them: "normalised, plain".
template <class Enum>
Choice choice(Enum ModelConfig::*member, const std::string& names, const std::vector<Enum>& values) {
  Choice made;
  std::istringstream list(names);
  for (std::string name; std::getline(list >> std::ws, name, ',');) made.names.push_back(name);
  made.get = [=](const ModelConfig& config) {
    return static_cast<std::size_t>(std::find(values.begin(), values.end(), config.*member) - values.begin());
  };
  made.set = [=](ModelConfig& config, std::size_t which) { config.*member = values[which]; };
  return made;
}

struct Key {
  std::string name;
  unsigned groups;
  std::variant<std::int64_t ModelConfig::*, bool ModelConfig::*, double ModelConfig::*, Choice> member;
  std::string meaning;
  std::int64_t least = 0, most = 0;  // of numbers
};

const std::vector<Key>& keys() {
#define CMANP_NUMBER(name, value, groups, least, most, meaning) \
  {#name, groups, &ModelConfig::name, meaning, least, most},
#define CMANP_FLAG(name, value, groups, meaning) {#name, groups, &ModelConfig::name, meaning},
#define CMANP_REAL(name, value, groups, meaning) {#name, groups, &ModelConfig::name, meaning},
#define CMANP_CHOICE(name, type, value, groups, meaning, ...) \
  {#name, groups,                                             \
   choice(&ModelConfig::name, #__VA_ARGS__,                   \
          [] {                                                \
            using enum type;                                  \
            return std::vector{__VA_ARGS__};                  \
          }()),                                               \
   meaning},
  static const std::vector<Key> table{
#include "training/model_keys.inc"
  };
#undef CMANP_NUMBER
#undef CMANP_FLAG
#undef CMANP_REAL
#undef CMANP_CHOICE
  return table;
}

// Keys that only relative coordinates have, and those that say what the grid says there.
constexpr const char* kRelativeKeys[] = {"coordinates",    "spacing",           "range_low", "range_high",
                                         "longest_length", "absolute_features", "features"};
constexpr const char* kLatentKeys[] = {"num_latents", "num_latents_per_layer", "latent_dim", "layer_latent_dim"};

const Key* find_key(const std::string& name) {
  const auto found = std::find_if(keys().begin(), keys().end(), [&](const Key& key) { return key.name == name; });
  return found == keys().end() ? nullptr : &*found;
}

unsigned groups_of(const std::string& model) { return model_kinds().at(model).keys | kEvery; }

nlohmann::ordered_json value_of(const Key& key, const ModelConfig& config) {
  if (const auto* number = std::get_if<std::int64_t ModelConfig::*>(&key.member)) return config.**number;
  if (const auto* flag = std::get_if<bool ModelConfig::*>(&key.member)) return config.**flag;
  if (const auto* real = std::get_if<double ModelConfig::*>(&key.member)) return config.**real;
  const auto& choice = std::get<Choice>(key.member);
  return choice.names.at(choice.get(config));
}

[[noreturn]] void fail(const std::string& key, const std::string& wanted, const json& found) {
  throw Error(fmt::format("config: \"{}\" must be {}, found {}", key, wanted,
                          files::quote(found.dump(-1, ' ', false, json::error_handler_t::replace))));
}

// Keys of the reference for what is fixed here; true where `key` is one.
bool check_fixed(const std::string& key, const json& value, unsigned groups) {
  if (!(groups & kTransformer)) return false;
  if (key == "dropout") {
    if (!value.is_number() || value.get<double>() != 0) fail(key, "0 (there is no dropout)", value);
  } else if (key == "norm_first") {
    if (value != true) fail(key, "true (post-norm is not supported)", value);
  } else if (key == "pretrain" && (groups & kOrdered)) {
    if (value != false) fail(key, "false (pretraining is not supported)", value);
  } else {
    return false;
  }
  return true;
}

class Setter {
 public:
  Setter(ModelConfig& config, const Key& key, const json& value) : config_(config), key_(key), value_(value) {}

  void operator()(std::int64_t ModelConfig::*member) const {
    const bool none = value_.is_null() || value_ == "None";  // as the reference writes "no limit"
    if (none && key_.name.ends_with("block_size")) {
      config_.*member = 0;
      return;
    }
    if (!value_.is_number_integer()) fail(key_.name, "a whole number", value_);
    const bool huge = value_.is_number_unsigned() && value_.get<std::uint64_t>() > INT64_MAX;
    config_.*member = huge ? INT64_MAX : value_.get<std::int64_t>();  // bounds come later
  }

  void operator()(bool ModelConfig::*member) const {
    if (!value_.is_boolean()) fail(key_.name, "true or false", value_);
    config_.*member = value_.get<bool>();
  }

  void operator()(double ModelConfig::*member) const {
    if (!value_.is_number()) fail(key_.name, "a number", value_);
    config_.*member = value_.get<double>();
  }

  void operator()(const Choice& choice) const {
    const auto found = std::find(choice.names.begin(), choice.names.end(), value_);
    if (found == choice.names.end()) {
      fail(key_.name, fmt::format("\"{}\"", fmt::join(choice.names, "\" or \"")), value_);
    }
    choice.set(config_, static_cast<std::size_t>(found - choice.names.begin()));
  }

 private:
  ModelConfig& config_;
  const Key& key_;
  const json& value_;
};

}  // namespace

std::vector<std::string> model_names() { return model_kinds().names(); }

void check_model_name(const std::string& model) { model_kinds().at(model); }

std::vector<ModelKey> model_keys(const std::string& model) {
  const unsigned groups = groups_of(model);
  std::vector<ModelKey> list;
  for (const Key& key : keys()) {
    if (!(key.groups & groups)) continue;
    const runtime::NumberKey* lean = runtime::find_number(key.name);
    const Choice* choice = std::get_if<Choice>(&key.member);
    list.push_back({key.name, key.meaning.empty() && lean != nullptr ? lean->meaning : key.meaning, value_of(key, {}),
                    choice == nullptr ? std::vector<std::string>() : choice->names});
  }
  return list;
}

std::vector<std::string> config_keys(const std::string& model) {
  const unsigned groups = groups_of(model);
  std::vector<std::string> list;
  for (const Key& key : keys()) {
    if (key.groups & groups) list.push_back(key.name);
  }
  return list;
}

std::int64_t& number_of(ModelConfig& config, const std::string& name) {
  const Key* key = find_key(name);
  const auto* member = key == nullptr ? nullptr : std::get_if<std::int64_t ModelConfig::*>(&key->member);
  if (member == nullptr) throw Error(fmt::format("no model of the family has a number {}", files::quote(name)));
  return config.**member;
}

nlohmann::ordered_json to_json(const std::string& model, const ModelConfig& config) {
  const unsigned groups = groups_of(model);
  nlohmann::ordered_json object;
  for (const Key& key : keys()) {
    if (key.groups & groups) object[key.name] = value_of(key, config);
  }
  if (groups & kCmab) object["latent_dim"] = config.latent_width();
  if (groups & kCmab) object["layer_latent_dim"] = config.layer_latent_width();
  if (config.least_std == ModelConfig{}.least_std) object.erase("least_std");  // came later
  if (config.coordinates == Coordinates::absolute) {                           // as before there was a choice
    for (const char* key : kRelativeKeys) object.erase(key);
  } else {
    for (const char* key : kLatentKeys) object.erase(key);
    if (config.features == 0) object.erase("features");  // came later
  }
  return object;
}

ModelConfig parse_config(const std::string& model, const json& settings, ModelConfig config) {
  const unsigned groups = groups_of(model);
  if (!settings.is_object()) throw Error("config: must be a JSON object");
  for (const auto& [name, value] : settings.items()) {
    const Key* key = find_key(name);
    if (key != nullptr && (key->groups & groups)) {
      std::visit(Setter(config, *key, value), key->member);
    } else if (!check_fixed(name, value, groups)) {
      throw Error(
          fmt::format("config: {} has no key {}{}", model, files::quote(name), did_you_mean(name, config_keys(model))));
    }
  }
  validate(model, config);
  return config;
}

namespace {

void validate_relative(const ModelConfig& config) {
  constexpr double kMostLatents = 1e6;
  if (!std::isfinite(config.spacing) || config.spacing <= 0) {
    throw Error(fmt::format("config: \"spacing\" is {}, but must be above 0", config.spacing));
  }
  if (!std::isfinite(config.longest_length) || config.longest_length < 1) {
    throw Error(fmt::format("config: \"longest_length\" is {}, but must be 1 or more", config.longest_length));
  }
  if (config.features >= config.dim_x) {
    throw Error(fmt::format("config: \"features\" {} leave none of {} x", config.features, config.dim_x));
  }
  const double extent = config.range_high - config.range_low;
  if (!std::isfinite(extent) || extent <= 0) {
    throw Error(
        fmt::format("config: \"range_low\" {} is not below \"range_high\" {}", config.range_low, config.range_high));
  }
  if (std::pow(extent / config.spacing + 7, static_cast<double>(config.axes())) > kMostLatents) {
    throw Error(fmt::format("config: \"spacing\" {} over a range of {} asks for more than {:.0f} latents",
                            config.spacing, extent, kMostLatents));
  }
  if (config.d_model / config.nhead % 2 != 0) {
    throw Error(fmt::format("config: relative coordinates turn pairs of features, but a head of \"d_model\" {} has {}",
                            config.d_model, config.d_model / config.nhead));
  }
  if (config.latent_width() != config.d_model || config.layer_latent_width() != config.d_model) {
    throw Error("config: in relative coordinates, \"latent_dim\" and \"layer_latent_dim\" are \"d_model\"");
  }
}

}  // namespace

void validate(const std::string& model, const ModelConfig& config) {
  const unsigned groups = groups_of(model);
  for (const Key& key : keys()) {
    const auto* member = std::get_if<std::int64_t ModelConfig::*>(&key.member);
    if (member == nullptr || !(key.groups & groups)) continue;
    const std::int64_t value = config.**member;
    if (value < key.least || value > key.most) {
      throw Error(fmt::format("config: \"{}\" is {}, but must be from {} to {}", key.name, value, key.least, key.most));
    }
  }
  if ((groups & kTransformer) && config.d_model % config.nhead != 0) {
    throw Error(fmt::format("config: \"d_model\" {} is not a multiple of \"nhead\" {}", config.d_model, config.nhead));
  }
  if (!(config.least_std > 0 && config.least_std < 1)) {
    throw Error(fmt::format("config: \"least_std\" is {}, but must be above 0 and below 1", config.least_std));
  }
  if ((groups & kPlaced) && config.coordinates == Coordinates::relative) validate_relative(config);
  if ((groups & kCross) && config.dim_hid % 8 != 0) {
    throw Error(fmt::format("config: \"dim_hid\" {} is not a multiple of the 8 heads", config.dim_hid));
  }
  constexpr double most = 0x1p31;
  if (rough_parameter_count(model, config) > most) {
    throw Error(fmt::format("config: asks for more than {:.0f} parameters", most));
  }
}

double rough_parameter_count(const std::string& model, const ModelConfig& c) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const double in = real(c.features_x() + c.dim_y);
  if (groups_of(model) & kPlain) {
    const double depth = real(c.enc_v_depth + c.enc_qk_depth + 2 * (c.enc_pre_depth + c.enc_post_depth) + c.dec_depth);
    return real(c.dim_hid) * (real(c.dim_hid + c.dim_lat) + in) * (depth + 12);
  }
  if (!(groups_of(model) & kTransformer)) return 0;
  const double d = real(c.d_model), hidden = real(c.dim_feedforward);
  const double width = std::max({d, real(c.latent_width()), real(c.layer_latent_width())});
  const double layer = (20 * d + 15 * hidden + real(c.num_latents_per_layer)) * width;
  const double head = hidden * (real(c.prj_depth + c.diag_depth + 2) * hidden + real(c.prj_dim * c.dim_y) + 4 * d);
  return real(c.num_layers) * layer + real(c.num_latents) * width + 2 * d * (real(c.emb_depth) * d + in) +
         real(c.num_std_layers) * d * (4 * d + 2 * hidden) + head;
}

ModelConfig default_config(const std::string& model, const std::string& experiment) {
  check_model_name(model);
  ModelConfig config;
  if (experiment == "gp") return config;
  if (experiment != "wheel" && experiment != "emnist" && !experiment.starts_with("celeba")) {
    refuse_name("published experiment", experiment, {"gp", "wheel", "emnist", "celeba"});
  }
  config.dim_x = 2;
  if (experiment == "wheel") {
    config.dim_y = 5;
    config.train_num_samples = groups_of(model) & kLatent ? 1 : 4;
    config.d_model = 16;
    config.emb_depth = 3;
    config.dim_feedforward = 64;
    config.nhead = 1;
    config.num_layers = 4;
    config.num_latents = config.num_latents_per_layer = 8;
    config.cov_approx = Covariance::lowrank;
    return config;
  }
  config.enc_qk_depth = 3;
  config.enc_post_depth = 3;
  if (experiment == "emnist") {
    config.bound_std = true;
    config.enc_v_depth = config.enc_pre_depth = 5;
    config.dec_depth = 4;
    return config;
  }
  config.dim_y = 3;
  config.enc_v_depth = config.enc_pre_depth = 6;
  config.dec_depth = 5;
  return config;
}

}  // namespace cmanp::training
