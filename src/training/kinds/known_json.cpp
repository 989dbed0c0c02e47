#include "training/kinds/known_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

#include "files/json.hpp"
#include "files/quote.hpp"
#include "training/trainer/typed_keys.hpp"

namespace cmanp::training {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail_entry(const std::string& why) { throw Error(why); }

data::KnownColumn parse_known(const Json& entry) {
  data::KnownColumn known;
  const auto number = [&](const char* key) {
    const bool there = entry.contains(key) && entry[key].is_number() && std::isfinite(entry[key].get<double>());
    if (!there) fail_entry(fmt::format("{} of {} must be a number", key, files::quote(known.name)));
    return entry[key].get<double>();
  };
  if (!entry.is_object() || !entry.contains("column") || !entry["column"].is_string()) {
    fail_entry("every entry is an object that names its \"column\"");
  }
  known.name = entry["column"].get<std::string>();
  if (entry.contains("words")) {
    const Json& words = entry["words"];
    if (!words.is_array() || words.empty() || words.size() > data::kMostWords) {
      fail_entry(fmt::format("words of {} must be a list of 1 to {}", files::quote(known.name), data::kMostWords));
    }
    for (const Json& word : words) {
      if (!word.is_string()) fail_entry(fmt::format("words of {} must be words", files::quote(known.name)));
      known.words.push_back(word.get<std::string>());
    }
    return known;
  }
  known.shift = number("shift");
  known.scale = number("scale");
  if (!(known.scale > 0)) fail_entry(fmt::format("scale of {} must be above 0", files::quote(known.name)));
  known.may_miss = entry.contains("may_miss") && entry["may_miss"] == true;
  known.time = entry.contains("time") && entry["time"] == true;
  return known;
}

}  // namespace

std::string to_text(const std::vector<data::KnownColumn>& columns) {
  if (columns.empty()) return "";
  Json list = Json::array();
  for (const data::KnownColumn& known : columns) {
    Json& entry = list.emplace_back(Json{{"column", known.name}});
    if (known.category()) {
      entry["words"] = known.words;
    } else {
      entry["shift"] = known.shift;
      entry["scale"] = known.scale;
      if (known.may_miss) entry["may_miss"] = true;
      if (known.time) entry["time"] = true;
    }
  }
  return list.dump();
}

std::vector<data::KnownColumn> parse_known_columns(const std::string& text, const std::vector<std::string>& names,
                                                   const std::string& key) {
  return naming(key + "_as", [&] {
    std::vector<data::KnownColumn> columns;
    if (!text.empty()) {
      const Json list = files::parse_json(text, "the setting");
      if (!list.is_array()) fail_entry("must be a list");
      for (const Json& entry : list) columns.push_back(parse_known(entry));
    }
    const auto names_one = [](const data::KnownColumn& known, const std::string& name) { return known.name == name; };
    if (!std::equal(columns.begin(), columns.end(), names.begin(), names.end(), names_one)) {
      fail_entry(fmt::format("must have an entry for each column of {}, in their order", key));
    }
    return columns;
  });
}

}  // namespace cmanp::training
