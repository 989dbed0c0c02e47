// A table of any columns, column by column: numbers, times and categories, found by looking or told. In memory, or in a
// packed file (packed_table.hpp) that is mapped.
// Whatever is wrong in a file is refused with file, line and column. Values that are missing stay missing: whether that
// matters is for those to say who know what the column is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/field_form.hpp"
#include "data/values.hpp"
#include "files/safetensors.hpp"

namespace cmanp::data {

std::string_view name_of(ColumnType type);

// "hour:time" as its two parts; throws Error.
std::pair<std::string, ColumnType> parse_typed_name(const std::string& text);

// Fields that are not what their column holds, and are missing from it (TableOptions::lenient).
struct Strays {
  std::uint64_t count = 0;
  std::size_t row = 0;  // of the first
  std::string field;    // the first
  std::string why;      // "is not a number"
};

struct Column {
  std::string name;
  ColumnType type = ColumnType::number;
  Values values;                        // [row]; NaN: missing
  std::vector<std::string> categories;  // of a category: its words by number
  std::uint64_t missing = 0;
  bool zoned = false;  // of a time: whether its values name their zone
  Strays strays = {};  // counted among those that are missing
};

struct TableOptions;

class DataTable {
 public:
  std::vector<Column> columns;

  std::size_t rows() const { return packed_ ? packed_rows_ : lines_.size(); }

  // Throws Error with the nearest name where there is no such column.
  const Column& column(std::string_view name) const;
  const Column* find(std::string_view name) const;

  // "file:line" of a row, of a packed file "file: row 7"; the last file where there is no such row.
  std::string where(std::size_t row) const;

  // Where a file's rows were series (wide_header.hpp), and its columns are read as rows: the names of the first and of
  // the last of these.
  const std::pair<std::string, std::string>& turned() const { return turned_; }

  // What the columns are mapped from; none where they are in memory.
  const std::shared_ptr<const files::Safetensors>& packed() const { return packed_; }

 private:
  friend class TableBuilder;
  friend DataTable open_packed_table(const std::filesystem::path& path, const TableOptions& options);

  struct Source {
    std::string file;
    std::size_t first_row;
  };

  std::vector<Source> sources_;
  Numbers<std::uint32_t> lines_;  // [row]
  std::pair<std::string, std::string> turned_;
  std::shared_ptr<const files::Safetensors> packed_;
  std::size_t packed_rows_ = 0;
};

struct TableOptions {
  char delimiter = '\0';                                      // found in the first line of each file
  std::vector<std::string> columns = {};                      // to read; empty: all
  std::map<std::string, ColumnType, std::less<>> types = {};  // of those that are not to be found by looking
  std::vector<std::string> made = {};  // to make (made_columns.hpp) where there is none of that name
  bool lenient = false;  // fields that are not what their column holds: who uses it refuses them (role_columns.hpp)
  std::filesystem::path aside = {};  // a folder for columns that may be larger than memory; empty: they are in memory
};

// Files with the same columns, in any order, one after the other; or one packed file. A column without a name, as
// programs write their row numbers, is called by its place: column1. Of two of one name, the second is called name.2.
DataTable read_data_table(const std::vector<std::filesystem::path>& files, const TableOptions& options = {});

}  // namespace cmanp::data
