#include "training/trainer/typed_keys.hpp"

#include <fmt/ranges.h>

#include "files/json.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

struct Setter {
  const char* key;
  const Bounds& bounds;
  const Json& value;

  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error(fmt::format("{} must be {}, not {}", key, wanted,
                            files::quote(value.dump(-1, ' ', false, Json::error_handler_t::replace))));
  }
  double number() const {
    const double result = value.get<double>();
    if (!(result >= bounds.least && result <= bounds.most))
      fail(fmt::format("from {} to {}", bounds.least, bounds.most));
    return result;
  }

  void operator()(std::string* to) const {
    if (!value.is_string()) fail("a name");
    const auto name = value.get<std::string>();
    const auto& choices = bounds.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), name) == choices.end()) {
      fail(fmt::format("one of {}", fmt::join(choices, ", ")));
    }
    *to = name;
  }
  void operator()(std::int64_t* to) const {
    if (!value.is_number_integer()) fail("a whole number");
    *to = static_cast<std::int64_t>(number());
  }
  void operator()(double* to) const {
    if (!value.is_number()) fail("a number");
    *to = number();
  }
  void operator()(bool* to) const {
    if (!value.is_boolean()) fail("true or false");
    *to = value.get<bool>();
  }
};

}  // namespace

void set_value(const char* key, Place place, const Bounds& bounds, const Json& value) {
  std::visit(Setter{key, bounds, value}, place.to);
}

const char* type_name(const Place& place) {
  static const char* const types[] = {"NAME", "INTEGER", "NUMBER", "BOOLEAN"};  // in the order of the variant
  return types[place.to.index()];
}

Json parse_typed(const std::vector<SettingsKey>& keys, const std::string& key, const std::string& text) {
  const auto known = std::find_if(keys.begin(), keys.end(), [&](const SettingsKey& one) { return one.name == key; });
  if (known == keys.end()) throw Error(fmt::format("there is no setting {}", files::quote(key)));
  if (known->type == "NAME") {
    const auto& choices = known->choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      throw Error(fmt::format("must be one of {}, not {}", fmt::join(choices, ", "), files::quote(text)));
    }
    return text;
  }
  const Json value = files::try_parse_json(text).value_or(Json());
  if (known->type == "BOOLEAN" && !value.is_boolean()) throw Error("must be true or false");
  if (known->type == "INTEGER" && !value.is_number_integer()) throw Error("must be a whole number");
  if (known->type == "NUMBER" && !value.is_number()) throw Error("must be a number");
  return value;
}

void check_resumable(const std::vector<SettingsKey>& keys, const Json& before, const Json& now,
                     const std::string& run) {
  for (const auto& [name, value] : now.items()) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&, &known = name](const SettingsKey& one) { return one.name == known; });
    if (key != keys.end() && key->may_change) continue;
    if (before.contains(name) ? before[name] == value : key != keys.end() && key->value == value) continue;
    throw Error(fmt::format("{} has {} {}, not {}: a run goes on with its own settings; start another for others", run,
                            name, before.contains(name) ? before[name].dump() : "unset", value.dump()));
  }
}

}  // namespace cmanp::training
