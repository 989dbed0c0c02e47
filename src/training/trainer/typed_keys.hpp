// Settings as a table of keys, each with a place in a struct, bounds and a meaning: into JSON and back. What is wrong
// is said by key.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "files/quote.hpp"
#include "training/registry.hpp"

namespace cmanp::training {

// A key as help shows it.
struct SettingsKey {
  std::string name;
  std::string description;
  std::string type;                       // NAME, NUMBER, INTEGER or BOOLEAN
  nlohmann::ordered_json value = {};      // by default
  std::vector<std::string> choices = {};  // of a NAME; empty: any
  bool may_change = false;                // even when a run is resumed
  std::string owner = {};  // whose it is, where it is not everybody's: "Task gp", "Models cmanp, cmanpand"
  bool list = false;       // of a NAME: several, with commas between; a flag may stand several times
};

// Where a value stands; its type decides what may stand there.
struct Place {
  std::variant<std::string*, std::int64_t*, double*, bool*> to;

  Place(std::string& value) : to(&value) {}
  Place(std::int64_t& value) : to(&value) {}
  Place(double& value) : to(&value) {}
  Place(bool& value) : to(&value) {}
};

struct Bounds {
  double least, most;                // of numbers
  std::vector<std::string> choices;  // of names; empty: any
};

template <class Settings>
struct TypedKey {
  const char* name;
  std::function<Place(Settings&)> place;
  std::string description;
  Bounds bounds;
  bool may_change;

  // `at` is a member, or what leads to one; `changes`: even when a run is resumed. Without a meaning, a key is for
  // documents alone, not for their users' flags.
  TypedKey(const char* key, std::function<Place(Settings&)> at, std::string meaning, double least = 0,
           double most = 1e15, std::vector<std::string> choices = {}, bool changes = false)
      : name(key),
        place(std::move(at)),
        description(std::move(meaning)),
        bounds{least, most, std::move(choices)},
        may_change(changes) {}
};

// Puts a value where it belongs; throws Error that names the key where it is of another type or out of bounds.
void set_value(const char* key, Place place, const Bounds& bounds, const nlohmann::ordered_json& value);

const char* type_name(const Place& place);

// One key's value from text, typed as the key asks; throws Error.
nlohmann::ordered_json parse_typed(const std::vector<SettingsKey>& keys, const std::string& key,
                                   const std::string& text);

// Throws Error where `run` with settings `before` cannot go on with `now`. A run that is older than a key had its
// default.
void check_resumable(const std::vector<SettingsKey>& keys, const nlohmann::ordered_json& before,
                     const nlohmann::ordered_json& now, const std::string& run);

// What `make` returns; its errors begin with `where`, if there is one.
template <class Make>
auto naming(const std::string& where, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(where.empty() ? std::string(error.what()) : fmt::format("{}: {}", where, error.what()));
  }
}

template <class Settings>
class KeyTable {
 public:
  explicit KeyTable(std::vector<TypedKey<Settings>> keys) : keys_(std::move(keys)) {}

  bool has(const std::string& name) const { return find(name) != nullptr; }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& key : keys_) all.emplace_back(key.name);
    return all;
  }

  // Those with a meaning.
  std::vector<SettingsKey> described() const {
    std::vector<SettingsKey> keys = all();
    std::erase_if(keys, [](const SettingsKey& key) { return key.description.empty(); });
    return keys;
  }

  std::vector<SettingsKey> all() const {
    Settings settings;
    const nlohmann::ordered_json defaults = to_json(settings);
    std::vector<SettingsKey> all;
    for (const auto& key : keys_) {
      all.push_back({key.name, key.description, type_name(key.place(settings)), defaults[key.name], key.bounds.choices,
                     key.may_change});
    }
    return all;
  }

  // `name` must be one of the table's.
  void set(Settings& settings, const std::string& name, const nlohmann::ordered_json& value) const {
    const TypedKey<Settings>& key = *find(name);
    set_value(key.name, key.place(settings), key.bounds, value);
  }

  // Over the defaults; throws Error on what is no key.
  Settings read(const nlohmann::ordered_json& document) const {
    Settings settings;
    for (const auto& [name, value] : document.items()) {
      if (!has(name))
        throw Error(fmt::format("there is no setting {}{}", files::quote(name), did_you_mean(name, names())));
      set(settings, name, value);
    }
    return settings;
  }

  nlohmann::ordered_json to_json(Settings settings) const {
    nlohmann::ordered_json document;
    for (const auto& key : keys_) {
      std::visit([&](const auto* value) { document[key.name] = *value; }, key.place(settings).to);
    }
    return document;
  }

 private:
  const TypedKey<Settings>* find(const std::string& name) const {
    const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const auto& key) { return key.name == name; });
    return found == keys_.end() ? nullptr : &*found;
  }

  std::vector<TypedKey<Settings>> keys_;
};

}  // namespace cmanp::training
