#include "tables/csv_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <tuple>

#include "base/suggest.hpp"
#include "base/timestamp.hpp"
#include "files/quote.hpp"
#include "tables/fields.hpp"

namespace cmanp::tables {
namespace {

// Which of the `count` coordinates with this letter a name means, or `count`: x, x1, x2, …
std::size_t coordinate(std::string_view name, char letter, std::size_t count) {
  if (name.empty() || name.front() != letter) return count;
  if (name.size() == 1) return count == 1 ? 0 : count;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size() && name[1] != '0';
  return whole && number <= count ? number - 1 : count;
}

std::string coordinate_name(char letter, std::size_t index, std::size_t count) {
  return count == 1 ? std::string(1, letter) : fmt::format("{}{}", letter, index + 1);
}

std::string coordinate_names(char letter, std::size_t count) {
  constexpr std::size_t kShown = 4;
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > kShown && i == kShown - 2) {
      names += ", …";
      i = count - 1;
    }
    names += (i == 0 ? "" : ", ") + coordinate_name(letter, i, count);
  }
  return names;
}

// A number or a time, which no column is called, mostly.
bool is_value(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return (error == std::errc() && end == text.data() + text.size()) || base::parse_timestamp(text);
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view unquote(std::string_view field) {
  field = trim(field);
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return field;
  return trim(field.substr(1, field.size() - 2));
}

std::errc parse_number(std::string_view field, double& value) {
  field = unquote(field);
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && stop != field.data() + field.size() ? std::errc::invalid_argument : error;
}

std::string describe_columns(std::size_t dim_x, std::size_t dim_y, Rows rows) {
  return fmt::format("{}{}{}", coordinate_names('x', dim_x), rows == Rows::points ? ", " : " and, if known, ",
                     coordinate_names('y', dim_y));
}

namespace {

std::vector<std::string_view> names_in(std::string_view header, char separator) {
  std::vector<std::string_view> names;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t at = 0; at <= header.size(); ++at) {
    if (at < header.size() && header[at] == '"') inside = !inside;
    if (at < header.size() && (inside || header[at] != separator)) continue;
    names.push_back(unquote(header.substr(begin, at - begin)));
    begin = at + 1;
  }
  return names;
}

// Data have names of their own: where none is the model's and there are as many as it needs, their order decides.
bool go_by_order(const std::vector<std::string_view>& names, std::size_t dim_x, std::size_t dim_y, Rows rows) {
  const bool as_many = names.size() == dim_x + dim_y || (rows == Rows::targets && names.size() == dim_x);
  return as_many && !std::all_of(names.begin(), names.end(), is_value) &&
         std::none_of(names.begin(), names.end(), [&](std::string_view name) {
           return coordinate(name, 'x', dim_x) < dim_x || coordinate(name, 'y', dim_y) < dim_y ||
                  std::count(names.begin(), names.end(), name) > 1;
         });
}

// Programs write the numbers of rows into a first column without a name.
bool begins_with_row_numbers(const std::vector<std::string_view>& names, std::size_t dim_x, std::size_t dim_y) {
  return names.size() == dim_x + dim_y + 1 && names.front().empty();
}

// Puts names into the slots of coordinates.
class Matching {
 public:
  Matching(std::size_t dim_x, std::size_t dim_y, Rows rows, const std::string& where)
      : dim_x_(dim_x), dim_y_(dim_y), rows_(rows), where_(where), seen_(dim_x + dim_y) {}

  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", where_, what)); }
  std::string needed() const { return describe_columns(dim_x_, dim_y_, rows_); }

  // Where names are wanted, others are passed over.
  std::size_t by_name(std::string_view name, const Reading& reading) {
    for (const auto& [wanted, letter, first, count] :
         {std::tuple(&reading.x, 'x', std::size_t{0}, dim_x_), {&reading.y, 'y', dim_x_, dim_y_}}) {
      const auto found = std::find(wanted->begin(), wanted->end(), name);
      const std::size_t which =
          wanted->empty() ? coordinate(name, letter, count) : static_cast<std::size_t>(found - wanted->begin());
      if (which < count) return take(first + which, name);
    }
    return kPassedOver;
  }

  std::size_t by_order(std::string_view name, std::size_t place) { return take(place, name); }

  std::size_t by_coordinate(std::string_view name) {
    const std::size_t x = coordinate(name, 'x', dim_x_), y = coordinate(name, 'y', dim_y_);
    if (x < dim_x_) return take(x, name);
    if (y < dim_y_) return take(dim_x_ + y, name);
    if (is_value(name)) fail(fmt::format("no header: the first line must name the columns ({})", needed()));
    fail(fmt::format("unknown column {} (the model needs {}; --x and --y name the columns to read)", files::quote(name),
                     needed()));
  }

  bool has_y() const {
    if (rows_ != Rows::questions) return rows_ == Rows::points;
    return std::find(seen_.begin() + static_cast<std::ptrdiff_t>(dim_x_), seen_.end(), true) != seen_.end();
  }

  void check_complete(const Reading& reading, const std::vector<std::string>& names) const {
    const bool needs_y = has_y() || (rows_ == Rows::questions && !reading.y.empty());  // what was named has to be there
    for (std::size_t slot = 0; slot < (needs_y ? dim_x_ + dim_y_ : dim_x_); ++slot) {
      if (seen_[slot]) continue;
      const bool is_x = slot < dim_x_;
      const std::size_t index = is_x ? slot : slot - dim_x_;
      const std::vector<std::string>& wanted = is_x ? reading.x : reading.y;
      if (!wanted.empty()) {
        const std::string near = base::nearest(wanted[index], names);
        fail(fmt::format("no column {}{}", files::quote(wanted[index]),
                         near.empty() ? "" : fmt::format("; did you mean {}?", files::quote(near))));
      }
      fail(fmt::format("no column '{}' (the model needs {})",
                       coordinate_name(is_x ? 'x' : 'y', index, is_x ? dim_x_ : dim_y_), needed()));
    }
  }

  void check_wanted(const Reading& reading) const {
    for (const auto& [names, letter, count] : {std::tuple(&reading.x, 'x', dim_x_), {&reading.y, 'y', dim_y_}}) {
      if (!names->empty() && names->size() != count) {
        fail(fmt::format("{} named as {}, and the model has {}",
                         names->size() == 1 ? "1 column is" : fmt::format("{} columns are", names->size()), letter,
                         count));
      }
    }
  }

 private:
  // A y of targets may be anything, also missing: it is what is asked for.
  std::size_t take(std::size_t slot, std::string_view name) {
    if (seen_[slot]) fail(fmt::format("column {} is there twice", files::quote(name)));
    seen_[slot] = true;
    return rows_ == Rows::targets && slot >= dim_x_ ? kPassedOver : slot;
  }

  std::size_t dim_x_, dim_y_;
  Rows rows_;
  const std::string& where_;
  std::vector<bool> seen_;
};

}  // namespace

Columns match_columns(std::string_view header, std::size_t dim_x, std::size_t dim_y, Rows rows,
                      const std::string& where, const Reading& reading) {
  Matching matching(dim_x, dim_y, rows, where);
  matching.check_wanted(reading);
  Columns columns;
  columns.separator = separator_of(header);
  const std::vector<std::string_view> names = names_in(header, columns.separator);
  const bool named = !reading.x.empty() || !reading.y.empty();
  const std::size_t first = !named && begins_with_row_numbers(names, dim_x, dim_y) ? 1 : 0;
  const bool by_order =
      !named && go_by_order({names.begin() + static_cast<std::ptrdiff_t>(first), names.end()}, dim_x, dim_y, rows);
  for (const std::string_view name : names) {
    const std::size_t place = columns.slots.size();
    columns.slots.push_back(named           ? matching.by_name(name, reading)
                            : place < first ? kPassedOver
                            : by_order      ? matching.by_order(name, place - first)
                                            : matching.by_coordinate(name));
    columns.names.emplace_back(name);
  }
  matching.check_complete(reading, columns.names);
  columns.has_y = matching.has_y();
  columns.x_first =
      std::is_partitioned(columns.slots.begin(), columns.slots.end(), [&](std::size_t slot) { return slot < dim_x; });
  return columns;
}

}  // namespace cmanp::tables
