#include "data/known_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "data/role_columns.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

constexpr double kFarthest = 1e6;  // deviations from the middle: beyond any use
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

[[noreturn]] void refuse(const DataTable& table, const std::string& name, const std::string& why) {
  throw Error(fmt::format("{}: column {} {}", table.where(table.rows()), files::quote(name), why));
}

// In units of mean and deviation of some rows, or of all.
KnownColumn known_number(const DataTable& table, const Column& column, const std::vector<bool>& rows,
                         const char* constant) {
  KnownColumn known{column.name};
  known.may_miss = column.missing > 0;
  known.time = column.type == ColumnType::time;
  const auto counts = [&](std::size_t row) { return (rows.empty() || rows[row]) && !std::isnan(column.values[row]); };
  double there = 0, mean = 0, squares = 0;
  for (std::size_t row = 0; row < column.values.size(); ++row) there += counts(row) ? 1 : 0;
  for (std::size_t row = 0; row < column.values.size(); ++row) mean += counts(row) ? column.values[row] / there : 0;
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    const double off = column.values[row] - mean;
    squares += counts(row) ? off * off / there : 0;
  }
  const double deviation = std::sqrt(squares);
  if (!std::isfinite(deviation)) refuse(table, column.name, "has numbers that are too large to be an input");
  if (!(deviation > 1e-12 * std::abs(mean))) refuse(table, column.name, constant);
  known.shift = mean;
  known.scale = deviation;
  return known;
}

constexpr const char* kConstant = "never changes, and cannot be an input";

KnownColumn known_category(const DataTable& table, const Column& column) {
  const std::size_t words = column.categories.size();
  if (words < 2) refuse(table, column.name, kConstant);
  if (words > kMostWords) {
    refuse(table, column.name,
           fmt::format("has {} words; a category that is an input has {} at most", words, kMostWords));
  }
  KnownColumn known{column.name};
  known.words = column.categories;
  std::sort(known.words.begin(), known.words.end());
  return known;
}

// What a table's words are among those that are known; one that is not is kNowhere until a row has it.
std::vector<std::size_t> places_of(const std::vector<std::string>& words, const KnownColumn& known) {
  std::vector<std::size_t> places;
  for (const std::string& word : words) {
    const auto found = std::find(known.words.begin(), known.words.end(), word);
    places.push_back(found == known.words.end() ? kNowhere : static_cast<std::size_t>(found - known.words.begin()));
  }
  return places;
}

}  // namespace

std::vector<KnownColumn> find_known(const DataTable& table, const std::vector<std::string>& names,
                                    const std::vector<bool>& rows, bool times) {
  std::vector<KnownColumn> columns;
  for (const std::string& name : names) {
    const Column& column = table.column(name);
    check_readable(table, column);
    if (column.missing == table.rows()) refuse(table, name, "has no values at all");
    if (column.type == ColumnType::time && !times) refuse(table, name, "holds times, and cannot be an input");
    columns.push_back(column.type == ColumnType::category ? known_category(table, column)
                                                          : known_number(table, column, rows, kConstant));
  }
  return columns;
}

KnownColumn units_of_values(const DataTable& table, const std::string& name, const std::vector<bool>& rows) {
  return known_number(table, column_of_values(table, name), rows,
                      "never changes where it is trained on: nothing is to be learned");
}

std::size_t inputs_of(const std::vector<KnownColumn>& columns) {
  std::size_t count = 0;
  for (const KnownColumn& column : columns) count += column.inputs();
  return count;
}

KnownReader::KnownReader(const DataTable& table, const std::vector<KnownColumn>& columns) : table_(table) {
  for (const KnownColumn& known : columns) {
    const Column& column = table.column(known.name);
    check_readable(table, column);
    const bool empty = column.missing == table.rows();  // then it looks like numbers
    const ColumnType type = known.category() ? ColumnType::category
                            : known.time     ? ColumnType::time
                                             : ColumnType::number;
    if (!empty && column.type != type) {
      refuse(table, known.name,
             fmt::format("holds {}, but was trained on with {} (--columns NAME:TYPE)", name_of(column.type),
                         known.category() ? "words"
                         : known.time     ? "times"
                                          : "numbers"));
    }
    sources_.push_back({&known, &column, places_of(column.categories, known)});
  }
}

void KnownReader::append(std::size_t row, std::vector<float>& inputs) const {
  for (const auto& [known, column, codes] : sources_) {
    const double value = column->values[row];
    const bool missing = std::isnan(value);
    if (known->category()) {
      const std::size_t first = inputs.size();
      inputs.resize(first + known->inputs(), 0.0f);  // a word that is missing is none of them
      if (missing) continue;
      const std::size_t code = codes[static_cast<std::size_t>(value)];
      if (code == kNowhere) {
        const std::string& word = column->categories[static_cast<std::size_t>(value)];
        throw Error(fmt::format("{}: column {}: {} was not there in training, which had {}", table_.where(row),
                                files::quote(known->name), files::quote(word), fmt::join(known->words, ", ")));
      }
      inputs[first + code] = 1;
      continue;
    }
    const double own = (value - known->shift) / known->scale;
    if (!missing && !(std::abs(own) < kFarthest)) {
      throw Error(fmt::format("{}: column {}: {} is far from all that was there in training", table_.where(row),
                              files::quote(known->name), value));
    }
    inputs.push_back(missing && known->may_miss ? 0.0f : static_cast<float>(own));
    if (known->may_miss) inputs.push_back(missing ? 1.0f : 0.0f);
  }
}

void KnownReader::check(std::size_t row) const {
  for (const auto& [known, column, codes] : sources_) {
    if (known->category() || known->may_miss || !std::isnan(column->values[row])) continue;
    throw Error(fmt::format("{}: column {} is missing here, and never was in training", table_.where(row),
                            files::quote(known->name)));
  }
}

}  // namespace cmanp::data
