#include "measures/knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/finite.hpp"
#include "files/json.hpp"

namespace cmanp::measures {
namespace {

using Json = nlohmann::ordered_json;

// Functions drawn from Gaussian processes have a deviation of 1 at most, and noise comes on top.
constexpr Interval kGpX{-2, 2}, kGpY{-5, 5}, kPictureX{-1, 1};
constexpr double kGpNoise = 0.02;

std::optional<double> number(const Json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return {};
  return value.get<double>();
}

std::optional<Interval> interval(const Json& value) {
  if (!value.is_array() || value.size() != 2) return {};
  const auto low = number(value[0]), high = number(value[1]);
  if (!low || !high || *low >= *high) return {};
  return Interval{*low, *high};
}

Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json();
}

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

Knowledge from_entry(const Json& knows) {
  Knowledge knowledge;
  const Json x = member(knows, "x"), noise = member(knows, "noise");
  for (const Json& channel : x.is_array() ? x : Json::array()) {
    const auto one = interval(channel);
    if (!one) break;
    knowledge.x.push_back(*one);
  }
  const Json y = member(knows, "y");
  knowledge.y = interval(y.is_array() && y.size() == 1 ? y[0] : y);
  const auto range = interval(noise);  // from none to so much
  knowledge.noise = range ? range->high : number(noise);
  knowledge.prior = text(member(knows, "prior"));
  return knowledge;
}

Knowledge from_settings(const Json& settings) {
  const std::string task = text(member(settings, "task"));
  if (task == "gp") {
    return {
        .x = {kGpX}, .y = kGpY, .noise = kGpNoise, .prior = "Gaussian process, " + text(member(settings, "kernel"))};
  }
  if (task == "image" || task == "emnist" || task == "celeba") return {.x = {kPictureX}, .prior = "pictures"};
  return {};
}

// In relative coordinates any x is like any other; a context's own range is its own matter.
bool knows_differences_only(const files::Safetensors& model) {
  const auto entry = model.metadata().find("config");
  const Json config = entry == model.metadata().end() ? Json() : files::try_parse_json(entry->second).value_or(Json());
  return member(config, "coordinates") == "relative" && member(config, "absolute_features") != true;
}

}  // namespace

std::optional<Interval> Knowledge::x_of(std::size_t channel) const {
  if (x.empty()) return {};
  return x[std::min(channel, x.size() - 1)];
}

Knowledge knowledge_of(const files::Safetensors& model) {
  const auto entry = model.metadata().find("provenance");
  if (entry == model.metadata().end()) return {};
  const Json provenance = files::try_parse_json(entry->second).value_or(Json());
  const Json knows = member(provenance, "knows"), settings = member(provenance, "settings");
  Knowledge knowledge = knows.is_object() ? from_entry(knows) : from_settings(settings);
  if (!knowledge.y && text(member(settings, "task")) == "gp") knowledge.y = kGpY;
  if (knows_differences_only(model)) knowledge.x.clear();
  knowledge.trained = text(member(provenance, "weights")) != "random";
  return knowledge;
}

Json json_of(const Knowledge& knowledge) {
  Json json{{"trained", knowledge.trained}};
  const auto pair = [](const Interval& one) { return Json{one.low, one.high}; };
  for (const Interval& channel : knowledge.x) json["x"].push_back(pair(channel));
  if (knowledge.y) json["y"] = pair(*knowledge.y);
  if (knowledge.noise) json["noise"] = *knowledge.noise;
  if (!knowledge.prior.empty()) json["prior"] = knowledge.prior;
  return json;
}

}  // namespace cmanp::measures
