#include "runtime/unusual_json.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/finite.hpp"
#include "files/json.hpp"

namespace cmanp::runtime {
namespace {

using json = nlohmann::ordered_json;

// Reads the fields of one object; `where` begins what is said of a bad one.
struct Fields {
  const json& object;
  const std::string& where;

  const json& field(const char* key) const {
    if (!object.is_object() || !object.contains(key)) throw Error(fmt::format("{} must have \"{}\"", where, key));
    return object.at(key);
  }
  double number(const char* key) const {
    const json& value = field(key);
    const double found = value.is_number() ? value.get<double>() : NAN;
    if (!std::isfinite(found)) throw Error(fmt::format("{} must have a finite number \"{}\"", where, key));
    return found;
  }
  double size(const char* key) const {
    if (number(key) < 0) throw Error(fmt::format("{} must have no \"{}\" below 0", where, key));
    return number(key);
  }
  double more_than_none(const char* key) const {
    if (!base::positive(number(key))) throw Error(fmt::format("{} must have a positive \"{}\"", where, key));
    return number(key);
  }
  std::uint64_t count(const char* key) const {
    constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;  // more readings than ever were
    const bool whole = field(key).is_number_unsigned() && field(key).get<std::uint64_t>() < kTooMany;
    if (!whole) throw Error(fmt::format("{} must have a whole number \"{}\"", where, key));
    return field(key).get<std::uint64_t>();
  }
};

}  // namespace

std::string to_json(const std::vector<base::Unusual>& columns) {
  json list = json::array();
  for (const base::Unusual& column : columns) {
    list.push_back({{"count", column.count},
                    {"mean", column.place.mean},
                    {"deviation", column.place.deviation},
                    {"level", column.surprise.level},
                    {"excess", column.surprise.excess},
                    {"exceeded", column.surprise.exceeded},
                    {"told", column.told},
                    {"quiet", column.quiet},
                    {"events", column.events}});
  }
  return list.dump();
}

std::vector<base::Unusual> parse_unusual(const std::string& text, std::size_t dim_y, const std::string& name) {
  const std::string where = name + ": metadata \"unusual\"";
  const json list = files::parse_json(text, where);
  if (!list.is_array() || list.size() != dim_y) throw Error(fmt::format("{} must be a list of {}", where, dim_y));
  std::vector<base::Unusual> columns;
  for (const json& entry : list) {
    const Fields of{entry, where};
    columns.push_back({.count = of.count("count"),
                       .place = {of.number("mean"), of.size("deviation")},
                       .surprise = {of.number("level"), of.more_than_none("excess"), of.more_than_none("exceeded")},
                       .told = of.size("told"),
                       .quiet = of.count("quiet"),
                       .events = of.size("events")});
  }
  return columns;
}

}  // namespace cmanp::runtime
