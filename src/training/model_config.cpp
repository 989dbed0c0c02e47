#include "training/model_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/suggest.hpp"
#include "files/quote.hpp"

namespace cmanp::training {
namespace {

using nlohmann::json;

// Groups of models that share keys, as bits.
enum : unsigned {
  kPlain = 1,
  kLatent = 2,
  kSampled = 4,
  kCross = 8,
  kTransformer = 16,
  kPerceiver = 32,
  kLatents = 64,
  kCmab = 128,
  kJoint = 256,
  kBlocks = 512,
  kOrdered = 1024,
  kStochastic = 2048,
  kAll = 4095
};

struct Family {
  const char* name;
  unsigned groups;
};

const std::vector<Family> families{
    {"cnp", kPlain},
    {"canp", kPlain | kCross},
    {"np", kPlain | kLatent | kStochastic | kSampled},
    {"anp", kPlain | kCross | kLatent | kStochastic | kSampled},
    {"bnp", kPlain | kStochastic | kSampled},
    {"banp", kPlain | kCross | kStochastic | kSampled},
    {"tnpd", kTransformer},
    {"tnpnd", kTransformer | kJoint},
    {"tnpa", kTransformer | kOrdered | kSampled},
    {"eqtnp", kTransformer | kPerceiver},
    {"lbanp", kTransformer | kPerceiver | kLatents},
    {"lbanpnd", kTransformer | kPerceiver | kLatents | kJoint},
    {"cmanp", kTransformer | kPerceiver | kLatents | kCmab},
    {"cmanpand", kTransformer | kPerceiver | kLatents | kCmab | kJoint | kBlocks},
};

struct Key {
  const char* name;
  unsigned groups;
  std::variant<std::int64_t ModelConfig::*, bool ModelConfig::*, double ModelConfig::*, Residual ModelConfig::*,
               Covariance ModelConfig::*, Coordinates ModelConfig::*>
      member;
  std::int64_t least = 1, most = 1'000'000;  // of numbers; far beyond any use
};

const std::vector<Key> keys{
    {"dim_x", kAll, &ModelConfig::dim_x},
    {"dim_y", kAll, &ModelConfig::dim_y},
    {"dim_hid", kPlain, &ModelConfig::dim_hid},
    {"dim_lat", kLatent, &ModelConfig::dim_lat},
    {"enc_v_depth", kCross, &ModelConfig::enc_v_depth, 1, 1000},
    {"enc_qk_depth", kCross, &ModelConfig::enc_qk_depth, 1, 1000},
    {"enc_pre_depth", kPlain, &ModelConfig::enc_pre_depth, 1, 1000},
    {"enc_post_depth", kPlain, &ModelConfig::enc_post_depth, 1, 1000},
    {"dec_depth", kPlain, &ModelConfig::dec_depth, 1, 1000},
    {"train_num_samples", kStochastic, &ModelConfig::train_num_samples},
    {"eval_num_samples", kSampled, &ModelConfig::eval_num_samples},
    {"num_latents", kLatents, &ModelConfig::num_latents},
    {"num_latents_per_layer", kCmab, &ModelConfig::num_latents_per_layer},
    {"latent_dim", kCmab, &ModelConfig::latent_dim, 0},
    {"layer_latent_dim", kCmab, &ModelConfig::layer_latent_dim, 0},
    {"d_model", kTransformer, &ModelConfig::d_model},
    {"emb_depth", kTransformer, &ModelConfig::emb_depth, 1, 1000},
    {"dim_feedforward", kTransformer, &ModelConfig::dim_feedforward},
    {"nhead", kTransformer, &ModelConfig::nhead},
    {"num_layers", kTransformer, &ModelConfig::num_layers, 1, 1000},
    {"bound_std", kTransformer, &ModelConfig::bound_std},
    {"distinct_layers", kTransformer, &ModelConfig::distinct_layers},
    {"permute", kOrdered, &ModelConfig::permute},
    {"residual", kPerceiver, &ModelConfig::residual},
    {"fourier_features", kPerceiver, &ModelConfig::fourier_features, 0, 32},
    {"CMAB_block_size", kCmab, &ModelConfig::CMAB_block_size, 0, 1'000'000'000},
    {"coordinates", kCmab, &ModelConfig::coordinates},
    {"spacing", kCmab, &ModelConfig::spacing},
    {"range_low", kCmab, &ModelConfig::range_low},
    {"range_high", kCmab, &ModelConfig::range_high},
    {"absolute_features", kCmab, &ModelConfig::absolute_features},
    {"AND_block_size", kBlocks, &ModelConfig::AND_block_size, 0, 1'000'000'000},
    {"train_block_size", kJoint, &ModelConfig::train_block_size, 0, 1'000'000},
    {"cov_approx", kJoint, &ModelConfig::cov_approx},
    {"num_std_layers", kJoint, &ModelConfig::num_std_layers, 0, 1000},
    {"prj_dim", kJoint, &ModelConfig::prj_dim},
    {"prj_depth", kJoint, &ModelConfig::prj_depth, 1, 1000},
    {"diag_depth", kJoint, &ModelConfig::diag_depth, 1, 1000},
};

// Keys that only relative coordinates have, and those that say what the grid says there.
constexpr const char* kRelativeKeys[] = {"coordinates", "spacing", "range_low", "range_high", "absolute_features"};
constexpr const char* kLatentKeys[] = {"num_latents", "num_latents_per_layer", "latent_dim", "layer_latent_dim"};
constexpr const char* kCoordinates[] = {"absolute", "relative"};
constexpr const char* kResiduals[] = {"normalised", "plain"};
constexpr const char* kCovariances[] = {"diagonal", "cholesky", "lowrank"};

unsigned groups_of(const std::string& model) {
  check_model_name(model);
  return std::find_if(families.begin(), families.end(), [&](const Family& f) { return f.name == model; })->groups;
}

[[noreturn]] void fail(const std::string& key, const char* wanted, const json& found) {
  throw Error(fmt::format("config: \"{}\" must be {}, found {}", key, wanted,
                          files::quote(found.dump(-1, ' ', false, json::error_handler_t::replace))));
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = base::nearest(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest);
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
    if (none && std::string_view(key_.name).ends_with("block_size")) {
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

  void operator()(Coordinates ModelConfig::*member) const {
    if (value_ != "absolute" && value_ != "relative") fail(key_.name, "\"absolute\" or \"relative\"", value_);
    config_.*member = value_ == "relative" ? Coordinates::relative : Coordinates::absolute;
  }

  void operator()(Residual ModelConfig::*member) const {
    if (value_ != "normalised" && value_ != "plain") fail(key_.name, "\"normalised\" or \"plain\"", value_);
    config_.*member = value_ == "plain" ? Residual::plain : Residual::normalised;
  }

  void operator()(Covariance ModelConfig::*member) const {
    if (value_ != "cholesky" && value_ != "lowrank") fail(key_.name, "\"cholesky\" or \"lowrank\"", value_);
    config_.*member = value_ == "lowrank" ? Covariance::lowrank : Covariance::cholesky;
  }

 private:
  ModelConfig& config_;
  const Key& key_;
  const json& value_;
};

}  // namespace

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Family& family : families) list.emplace_back(family.name);
    return list;
  }();
  return names;
}

void check_model_name(const std::string& model) {
  const auto& names = model_names();
  if (std::find(names.begin(), names.end(), model) != names.end()) return;
  throw Error(fmt::format("unknown model {}{}", files::quote(model), did_you_mean(model, names)));
}

bool answers_with_normal(const std::string& model) {
  const unsigned groups = groups_of(model);
  return (groups & kTransformer) && !(groups & kOrdered);
}

bool answers_jointly(const std::string& model) { return groups_of(model) & kJoint; }

std::vector<std::string> config_keys(const std::string& model) {
  const unsigned groups = groups_of(model);
  std::vector<std::string> list;
  for (const Key& key : keys) {
    if (key.groups & groups) list.emplace_back(key.name);
  }
  return list;
}

nlohmann::ordered_json to_json(const std::string& model, const ModelConfig& config) {
  nlohmann::ordered_json object = all_keys(model, config);
  if (config.coordinates == Coordinates::absolute) {  // as before there was a choice
    for (const char* key : kRelativeKeys) object.erase(key);
  } else {
    for (const char* key : kLatentKeys) object.erase(key);
  }
  return object;
}

nlohmann::ordered_json all_keys(const std::string& model, const ModelConfig& config) {
  const unsigned groups = groups_of(model);
  nlohmann::ordered_json object;
  for (const Key& key : keys) {
    if (!(key.groups & groups)) continue;
    if (const auto* number = std::get_if<std::int64_t ModelConfig::*>(&key.member)) object[key.name] = config.**number;
    if (const auto* flag = std::get_if<bool ModelConfig::*>(&key.member)) object[key.name] = config.**flag;
    if (const auto* real = std::get_if<double ModelConfig::*>(&key.member)) object[key.name] = config.**real;
  }
  if (groups & kPerceiver) object["residual"] = kResiduals[static_cast<int>(config.residual)];
  if (groups & kJoint) object["cov_approx"] = kCovariances[static_cast<int>(config.cov_approx)];
  if (groups & kCmab) object["coordinates"] = kCoordinates[static_cast<int>(config.coordinates)];
  if (groups & kCmab) object["latent_dim"] = config.latent_width();
  if (groups & kCmab) object["layer_latent_dim"] = config.layer_latent_width();
  return object;
}

ModelConfig parse_config(const std::string& model, const json& settings, ModelConfig config) {
  const unsigned groups = groups_of(model);
  if (!settings.is_object()) throw Error("config: must be a JSON object");
  for (const auto& [name, value] : settings.items()) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == name; });
    if (key != keys.end() && (key->groups & groups)) {
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
  const double extent = config.range_high - config.range_low;
  if (!std::isfinite(extent) || extent <= 0) {
    throw Error(
        fmt::format("config: \"range_low\" {} is not below \"range_high\" {}", config.range_low, config.range_high));
  }
  if (std::pow(extent / config.spacing + 7, static_cast<double>(config.dim_x)) > kMostLatents) {
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
  for (const Key& key : keys) {
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
  if ((groups & kCmab) && config.coordinates == Coordinates::relative) validate_relative(config);
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
  const double d = real(c.d_model), hidden = real(c.dim_feedforward);
  const double width = std::max({d, real(c.latent_width()), real(c.layer_latent_width())});
  const double layer = (20 * d + 15 * hidden + real(c.num_latents_per_layer)) * width;
  const double head = hidden * (real(c.prj_depth + c.diag_depth + 2) * hidden + real(c.prj_dim * c.dim_y) + 4 * d);
  return real(c.num_layers) * layer + real(c.num_latents) * width + 2 * d * (real(c.emb_depth) * d + in) +
         real(c.num_std_layers) * d * (4 * d + 2 * hidden) + head;
}

ModelConfig default_config(const std::string& model, const std::string& task) {
  check_model_name(model);
  ModelConfig config;
  if (task == "gp") return config;
  config.dim_x = 2;
  if (task == "wheel") {
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
  if (task == "emnist") {
    config.bound_std = true;
    config.enc_v_depth = config.enc_pre_depth = 5;
    config.dec_depth = 4;
    return config;
  }
  if (!task.starts_with("celeba")) {
    throw Error(
        fmt::format("unknown task {}{}", files::quote(task), did_you_mean(task, {"gp", "wheel", "emnist", "celeba"})));
  }
  config.dim_y = 3;
  config.enc_v_depth = config.enc_pre_depth = 6;
  config.dec_depth = 5;
  return config;
}

}  // namespace cmanp::training
