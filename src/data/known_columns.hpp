// Columns that are known besides x, of context and targets alike: a forecast of the weather, a holiday, the kind of a
// station. Each becomes some inputs of a model: a number one, in units of the column; a category one for each of its
// words; a number that may be missing one more, which says so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/data_table.hpp"

namespace cmanp::data {

struct KnownColumn {
  std::string name;
  double shift = 0, scale = 1;          // of a number: what is taken off, and the unit of what is left
  std::vector<std::string> words = {};  // of a category; empty: it is a number
  bool may_miss = false;                // of a number: whether one is missing is an input, too
  bool time = false;                    // of a number: it is a time

  bool category() const { return !words.empty(); }
  std::size_t inputs() const { return category() ? words.size() : may_miss ? 2 : 1; }
  bool operator==(const KnownColumn&) const = default;
};

constexpr std::size_t kMostWords = 64;  // of a category

// By looking at the table, numbers' units by those of its `rows` that are named, or by all. Throws Error where a column
// cannot be an input: times unless they may be, one value only, too many words.
std::vector<KnownColumn> find_known(const DataTable& table, const std::vector<std::string>& names,
                                    const std::vector<bool>& rows = {}, bool times = false);

// The units of a column of values, by such rows: mean and deviation. Throws Error where it never changes.
KnownColumn units_of_values(const DataTable& table, const std::string& name, const std::vector<bool>& rows);

std::size_t inputs_of(const std::vector<KnownColumn>& columns);

// The inputs that rows of a table give.
class KnownReader {
 public:
  // Throws Error where the table has no such column, or one of another type.
  KnownReader(const DataTable& table, const std::vector<KnownColumn>& columns);

  // Appends a row's inputs; NaN where a number is missing that never was.
  void append(std::size_t row, std::vector<float>& inputs) const;

  // Throws Error with file and line where a row lacks a number that never was missing.
  void check(std::size_t row) const;

 private:
  struct Source {
    const KnownColumn* known;
    const Column* column;
    std::vector<std::size_t> codes;  // of a category: the place among known words of each of the table's
  };

  const DataTable& table_;
  std::vector<Source> sources_;
};

}  // namespace cmanp::data
