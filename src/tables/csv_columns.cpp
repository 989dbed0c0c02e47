#include "tables/csv_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>

#include "files/quote.hpp"

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

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
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

std::vector<std::string_view> names_in(std::string_view header) {
  std::vector<std::string_view> names;
  for (std::size_t begin = 0; begin <= header.size();) {
    const std::size_t end = std::min(header.find(',', begin), header.size());
    names.push_back(unquote(header.substr(begin, end - begin)));
    begin = end + 1;
  }
  return names;
}

// Data have names of their own: where none is the model's and there are as many as it needs, their order decides.
bool go_by_order(const std::vector<std::string_view>& names, std::size_t dim_x, std::size_t dim_y, Rows rows) {
  const bool as_many = names.size() == dim_x + dim_y || (rows == Rows::targets && names.size() == dim_x);
  return as_many && std::none_of(names.begin(), names.end(), [&](std::string_view name) {
           return name.empty() || is_number(name) || coordinate(name, 'x', dim_x) < dim_x ||
                  coordinate(name, 'y', dim_y) < dim_y || std::count(names.begin(), names.end(), name) > 1;
         });
}

}  // namespace

Columns match_columns(std::string_view header, std::size_t dim_x, std::size_t dim_y, Rows rows,
                      const std::string& where) {
  const std::string needed = describe_columns(dim_x, dim_y, rows);
  const auto fail = [&](const std::string& what) { throw Error(fmt::format("{}: {}", where, what)); };
  if (header.find(',') == std::string_view::npos && header.find_first_of(";\t") != std::string_view::npos) {
    fail(fmt::format("columns must be separated by commas, and not by {}",
                     header.find(';') != std::string_view::npos ? "semicolons" : "tabs"));
  }

  Columns columns;
  std::vector<bool> seen(dim_x + dim_y);
  const std::vector<std::string_view> names = names_in(header);
  const bool by_order = go_by_order(names, dim_x, dim_y, rows);
  for (const std::string_view name : names) {
    const std::size_t place = columns.slots.size();
    const std::size_t x = by_order ? std::min(place, dim_x) : coordinate(name, 'x', dim_x);
    const std::size_t y = by_order ? (place < dim_x ? dim_y : place - dim_x) : coordinate(name, 'y', dim_y);
    if (x == dim_x && y == dim_y) {
      if (is_number(name)) fail(fmt::format("no header: the first line must name the columns ({})", needed));
      fail(fmt::format("unknown column {} (the model needs {})", files::quote(name), needed));
    }
    const std::size_t slot = x < dim_x ? x : dim_x + y;
    if (seen[slot]) fail(fmt::format("column {} is there twice", files::quote(name)));
    seen[slot] = true;
    columns.slots.push_back(slot);
    columns.names.emplace_back(name);
  }

  columns.has_y = rows == Rows::points ||
                  std::find(seen.begin() + static_cast<std::ptrdiff_t>(dim_x), seen.end(), true) != seen.end();
  for (std::size_t slot = 0; slot < (columns.has_y ? dim_x + dim_y : dim_x); ++slot) {
    if (seen[slot]) continue;
    fail(fmt::format("no column '{}' (the model needs {})",
                     slot < dim_x ? coordinate_name('x', slot, dim_x) : coordinate_name('y', slot - dim_x, dim_y),
                     needed));
  }
  columns.x_first =
      std::is_partitioned(columns.slots.begin(), columns.slots.end(), [&](std::size_t slot) { return slot < dim_x; });
  return columns;
}

}  // namespace cmanp::tables
