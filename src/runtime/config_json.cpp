#include "runtime/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "base/finite.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"
#include "runtime/check_season.hpp"
#include "runtime/config_keys.hpp"
#include "runtime/hash.hpp"
#include "runtime/model_data.hpp"

namespace cmanp::runtime {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* frames_of_signals = "signals";  // as base::frame_of has them
// Settings of training that files in relative coordinates once had.
const std::set<std::string, std::less<>> ignored_in_relative{"distinct_layers", "CMAB_block_size", "AND_block_size",
                                                             "train_block_size"};

// Settings of the reference that change nothing in what a trained model answers.
const std::set<std::string, std::less<>> ignored_in_reference{"dropout", "CMAB_block_size", "AND_block_size"};

[[noreturn]] void fail(const files::Safetensors& file, std::string_view what) {
  throw Error(fmt::format("{}: {}", file.name(), what));
}

std::string shown(const json& value) {
  return files::quote(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

// A metadata entry that must be a JSON object.
json parse_object(const files::Safetensors& file, const std::string& entry, const std::string& text) {
  json parsed = files::parse_json(text, fmt::format("{}: metadata \"{}\"", file.name(), entry));
  if (!parsed.is_object()) fail(file, fmt::format("metadata \"{}\" is not a JSON object", entry));
  return parsed;
}

const std::string& required_entry(const files::Safetensors& file, const std::string& entry) {
  const auto found = file.metadata().find(entry);
  if (found == file.metadata().end()) {
    fail(file, fmt::format("not a cmanp model: its metadata has no \"{}\"", entry));
  }
  return found->second;
}

Covariance parse_model_name(const files::Safetensors& file) {
  const std::string& model = required_entry(file, "model");
  if (model == "cmanp") return Covariance::diagonal;
  if (model == "cmanpand") return Covariance::cholesky;
  fail(file, fmt::format("holds a model {}; the lean half runs cmanp and cmanpand only", files::quote(model)));
}

class ConfigReader {
 public:
  ConfigReader(const files::Safetensors& file, bool reference) : file_(file), reference_(reference) {}

  Config read() {
    config_.covariance = parse_model_name(file_);
    const json object = parse_object(file_, "config", required_entry(file_, "config"));
    for (const char* key : {"dim_x", "dim_y"}) {
      if (!object.contains(key)) fail(file_, fmt::format("config: \"{}\" is missing", key));
    }
    if (object.contains("coordinates")) set("coordinates", object["coordinates"]);  // the others may depend on it
    for (const auto& [key, value] : object.items()) set(key, value);
    if (!object.contains("latent_dim")) config_.latent_dim = config_.d_model;
    if (!object.contains("layer_latent_dim")) config_.layer_latent_dim = config_.d_model;
    return config_;
  }

 private:
  void set(const std::string& key, const json& value) {
    if (const NumberKey* number = find_number(key)) {
      if (number->absolute && config_.relative()) {
        fail(file_, fmt::format("config: in relative coordinates, \"{}\" is not a setting but the grid's", key));
      }
      config_.*number->member = whole_number(key, value);
    } else if (key == "bound_std") {
      config_.bound_std = boolean(key, value);
    } else if (key == "least_std" && !reference_) {
      config_.least_std = scale(key, value);
      if (config_.least_std >= 1)
        fail(file_, fmt::format("config: \"least_std\" must be below 1, found {}", shown(value)));
    } else if (key == "residual") {
      const std::size_t which = choice(key, value, {"normalised", "plain"});
      config_.residual = which == 0 ? Residual::normalised : Residual::plain;
    } else if (key == "coordinates" && !reference_) {
      const std::size_t which = choice(key, value, {"absolute", "relative"});
      config_.coordinates = which == 0 ? Coordinates::absolute : Coordinates::relative;
    } else if (const RealKey* real = config_.relative() ? find_real(key) : nullptr) {
      config_.*real->member = real_number(key, value);
    } else if (config_.relative() && key == "absolute_features") {
      config_.absolute_features = boolean(key, value);
    } else if (key == "cov_approx") {
      if (config_.diagonal()) fail(file_, "config: \"cov_approx\" belongs to cmanpand, but the model is cmanp");
      const std::size_t which = choice(key, value, {"cholesky", "lowrank"});
      config_.covariance = which == 0 ? Covariance::cholesky : Covariance::lowrank;
    } else if (key == "frames") {
      if (value != frames_of_signals) {
        fail(file_, fmt::format("config: \"frames\" must be \"{}\", found {}", frames_of_signals, shown(value)));
      }
      config_.frames = true;
    } else if (key == "deviation_scale") {
      config_.deviation_scale = scale(key, value);
    } else if (key == "band_scales") {
      if (!value.is_array() || value.size() != config_.band_scales.size()) {
        fail(file_, fmt::format("config: \"band_scales\" must be a list of {} numbers, found {}",
                                config_.band_scales.size(), shown(value)));
      }
      for (std::size_t i = 0; i < value.size(); ++i) config_.band_scales[i] = scale(key, value[i]);
    } else if (reference_ && key == "norm_first") {
      if (!boolean(key, value)) fail(file_, "config: \"norm_first\" false (post-norm) is not supported");
    } else if (!(reference_ && ignored_in_reference.contains(key)) &&
               !(config_.relative() && ignored_in_relative.contains(key))) {
      fail(file_, fmt::format("config: unknown key {}", files::quote(key)));
    }
  }

  std::size_t whole_number(const std::string& key, const json& value) const {
    if (!value.is_number_unsigned()) {
      fail(file_, fmt::format("config: \"{}\" must be a whole number, found {}", key, shown(value)));
    }
    return value.get<std::size_t>();
  }

  double scale(const std::string& key, const json& value) const {
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (std::isfinite(number) && base::positive(number)) return number;
    fail(file_, fmt::format("config: \"{}\" must be finite and above 0, found {}", key, shown(value)));
  }

  double real_number(const std::string& key, const json& value) const {
    if (!value.is_number()) {
      fail(file_, fmt::format("config: \"{}\" must be a number, found {}", key, shown(value)));
    }
    return value.get<double>();
  }

  bool boolean(const std::string& key, const json& value) const {
    if (!value.is_boolean()) {
      fail(file_, fmt::format("config: \"{}\" must be true or false, found {}", key, shown(value)));
    }
    return value.get<bool>();
  }

  std::size_t choice(const std::string& key, const json& value, std::array<const char*, 2> names) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (value == names[i]) return i;
    }
    fail(file_,
         fmt::format("config: \"{}\" must be \"{}\" or \"{}\", found {}", key, names[0], names[1], shown(value)));
  }

  const files::Safetensors& file_;
  bool reference_;
  Config config_;
};

std::vector<double> parse_channels(const files::Safetensors& file, const json& object, const std::string& name,
                                   const std::string& key, std::size_t size) {
  if (!object.contains(key)) fail(file, fmt::format("{}: \"{}\" is missing", name, key));
  const json& array = object.at(key);
  if (!array.is_array() || array.size() != size) {
    fail(file, fmt::format("{}: \"{}\" must be a list of {} numbers, found {}", name, key, size, shown(array)));
  }
  const bool is_scale = key.ends_with("scale");
  std::vector<double> values;
  for (const json& element : array) {
    const double value = element.is_number() ? element.get<double>() : NAN;
    if (!std::isfinite(value) || (is_scale && !base::positive(value))) {
      fail(file, fmt::format("{}: \"{}\" must hold {} numbers, found {}", name, key,
                             is_scale ? "finite positive" : "finite", shown(element)));
    }
    values.push_back(value);
  }
  return values;
}

std::vector<Season> parse_seasons(const files::Safetensors& file, const json& object, const Config& config) {
  constexpr std::size_t kMostSeasons = 64, kMostWaves = 64;
  std::vector<Season> seasons;
  if (!object.contains("seasons")) return seasons;
  const auto bad = [&](const std::string& what) { fail(file, "frame: \"seasons\" " + what); };
  const json& list = object.at("seasons");
  if (!list.is_array() || list.size() > kMostSeasons * config.dim_y) bad("must be a short list");
  for (const json& entry : list) {
    const auto number = [&](const char* key) {
      const double value =
          entry.is_object() && entry.contains(key) && entry.at(key).is_number() ? entry.at(key).get<double>() : NAN;
      if (!std::isfinite(value)) bad(fmt::format("must have a finite \"{}\" each", key));
      return value;
    };
    const auto waves = [&](const char* key) {
      std::vector<double> values;
      if (!entry.is_object() || !entry.contains(key) || !entry.at(key).is_array() || entry.at(key).empty() ||
          entry.at(key).size() > kMostWaves) {
        bad(fmt::format("must have a list \"{}\" of 1 to {} numbers each", key, kMostWaves));
      }
      for (const json& value : entry.at(key)) {
        values.push_back(value.is_number() ? value.get<double>() : NAN);
        if (!std::isfinite(values.back())) bad(fmt::format("must have finite numbers in \"{}\"", key));
      }
      return values;
    };
    if (!entry.is_object() || !entry.contains("column") || !entry.at("column").is_number_unsigned()) {
      bad("must have a whole number \"column\" each");
    }
    const Season season{entry.at("column").get<std::size_t>(),
                        number("period"),
                        number("origin"),
                        waves("cosine"),
                        waves("sine"),
                        number("widening")};
    if (!makes_sense(season, config.dim_y)) {
      bad("must be of a column that there is, have a period and as many sines as cosines, and widen deviations");
    }
    seasons.push_back(season);
  }
  return seasons;
}

std::vector<WidthCheck> parse_widths(const files::Safetensors& file, const json& object, const Config& config) {
  std::vector<WidthCheck> widths;
  if (!object.contains("widths")) return widths;
  const json& list = object.at("widths");
  const auto number = [](const json& entry, const char* key) {
    return entry.is_object() && entry.contains(key) && entry.at(key).is_number() ? entry.at(key).get<double>() : NAN;
  };
  for (const json& entry : list) {
    const bool in_steps = entry.is_object() && entry.contains("least");
    widths.push_back({number(entry, "factor"), number(entry, "level"), in_steps ? number(entry, "least") : 0});
  }
  const bool sensible = std::all_of(widths.begin(), widths.end(), [](const auto& check) { return makes_sense(check); });
  if (!list.is_array() || widths.size() != config.dim_y || !sensible) {
    fail(file, fmt::format("frame: \"widths\" must be a list of {} with a positive \"factor\" and a \"level\" each",
                           config.dim_y));
  }
  return widths;
}

// Frozen: the keys of format version 1, in the order in which they name a model.
constexpr std::array<std::string_view, 19> version_1{"dim_x",
                                                     "dim_y",
                                                     "d_model",
                                                     "emb_depth",
                                                     "dim_feedforward",
                                                     "nhead",
                                                     "num_layers",
                                                     "num_latents",
                                                     "num_latents_per_layer",
                                                     "latent_dim",
                                                     "layer_latent_dim",
                                                     "fourier_features",
                                                     "num_std_layers",
                                                     "prj_dim",
                                                     "prj_depth",
                                                     "diag_depth",
                                                     "bound_std",
                                                     "residual",
                                                     "cov_approx"};

json json_of(const Config& config) {
  json object;
  for (const NumberKey& number : config_numbers) {
    const bool said = number.relative ? config.*number.member > 0 : !number.absolute || !config.relative();
    if (said) object[number.name] = config.*number.member;
  }
  object["bound_std"] = config.bound_std;
  object["residual"] = config.residual == Residual::normalised ? "normalised" : "plain";
  if (!config.diagonal()) object["cov_approx"] = config.covariance == Covariance::cholesky ? "cholesky" : "lowrank";
  // Only where they say something: programs from before know nothing of them.
  const Config plain;
  if (config.bound_std && config.least_std != plain.least_std) object["least_std"] = config.least_std;
  if (config.frames) object["frames"] = frames_of_signals;
  if (config.deviation_scale != plain.deviation_scale) object["deviation_scale"] = config.deviation_scale;
  if (config.band_scales != plain.band_scales) object["band_scales"] = config.band_scales;
  if (!config.relative()) return object;  // as before there was a choice
  object["coordinates"] = "relative";
  for (const RealKey& real : config_reals) {
    if (!real.later || config.*real.member != plain.*real.member) object[real.name] = config.*real.member;
  }
  object["absolute_features"] = config.absolute_features;
  return object;
}

}  // namespace

bool is_reference(const files::Safetensors& file) {
  const std::string& format = required_entry(file, "format");
  if (format == reference_format) return true;
  if (format != model_format) {
    fail(file, fmt::format("not a cmanp model: its format is {}, expected '{}'", files::quote(format), model_format));
  }
  const std::string& version = required_entry(file, "format_version");
  if (version != model_format_version) {
    fail(file, fmt::format("model format version {} is unknown here; this cmanp reads version {}",
                           files::quote(version), model_format_version));
  }
  return false;
}

Config parse_config(const files::Safetensors& file) {
  const Config config = ConfigReader(file, is_reference(file)).read();
  try {
    validate(config);
  } catch (const Error& error) {
    fail(file, error.what());
  }
  return config;
}

Normalisation parse_normalisation(const files::Safetensors& file, const Config& config, const std::string& name) {
  const auto entry = file.metadata().find(name);
  if (entry == file.metadata().end()) return Normalisation::identity(config);
  const json object = parse_object(file, name, entry->second);
  for (const auto& [key, value] : object.items()) {
    const bool of_frames = (key == "seasons" || key == "widths") && name == "frame";
    if (key != "x_shift" && key != "x_scale" && key != "y_shift" && key != "y_scale" && !of_frames) {
      fail(file, fmt::format("{}: unknown key {}", name, files::quote(key)));
    }
  }
  const auto channels = [&](const char* key, std::size_t size) {
    return parse_channels(file, object, name, key, size);
  };
  return {channels("x_shift", config.dim_x), channels("x_scale", config.dim_x),   channels("y_shift", config.dim_y),
          channels("y_scale", config.dim_y), parse_seasons(file, object, config), parse_widths(file, object, config)};
}

std::string to_json(const Config& config) { return json_of(config).dump(); }

std::string naming_part(const Config& config) { return naming_part(json_of(config), json_of(Config{}), version_1); }

std::string to_json(const Normalisation& normalisation) {
  json object;
  object["x_shift"] = normalisation.x_shift;
  object["x_scale"] = normalisation.x_scale;
  object["y_shift"] = normalisation.y_shift;
  object["y_scale"] = normalisation.y_scale;
  for (const Season& season : normalisation.seasons) {
    object["seasons"].push_back({{"column", season.column},
                                 {"period", season.period},
                                 {"origin", season.origin},
                                 {"cosine", season.cosine},
                                 {"sine", season.sine},
                                 {"widening", season.widening}});
  }
  for (const WidthCheck& check : normalisation.widths) {
    object["widths"].push_back({{"factor", check.factor}, {"level", check.level}});
    if (check.least > 0) object["widths"].back()["least"] = check.least;
  }
  return object.dump();
}

std::string to_json(const Range& range) { return json{{"low", range.low}, {"high", range.high}}.dump(); }

Range parse_range(const std::string& text, std::size_t dim_x, const std::string& name) {
  std::optional<std::size_t> axes;
  const std::string where = name + ": metadata \"range\"";
  const json object = files::parse_json(text, where);
  const auto ends = [&](const char* key) {
    std::vector<double> values;
    const bool list = object.is_object() && object.size() == 2 && object.contains(key) && object[key].is_array();
    const std::size_t count = list ? object[key].size() : 0;
    if (count == 0 || count > dim_x || count != axes.value_or(count)) {
      throw Error(fmt::format("{} must have a list of {} numbers \"{}\", found {}", where, axes.value_or(dim_x), key,
                              shown(object)));
    }
    axes = count;
    for (const json& element : object[key]) {
      const double value = element.is_number() ? element.get<double>() : NAN;
      if (!std::isfinite(value))
        throw Error(fmt::format("{} must hold finite numbers, found {}", where, shown(element)));
      values.push_back(value);
    }
    return values;
  };
  Range range;
  range.low = ends("low");
  range.high = ends("high");
  return range;
}

}  // namespace cmanp::runtime
