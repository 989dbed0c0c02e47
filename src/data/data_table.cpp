#include "data/data_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/missing.hpp"
#include "base/suggest.hpp"
#include "data/field_form.hpp"
#include "data/made_columns.hpp"
#include "data/packed_table.hpp"
#include "data/record_reader.hpp"
#include "data/role_columns.hpp"
#include "data/wide_header.hpp"
#include "files/quote.hpp"

namespace cmanp::data {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kProbed = 1000;  // rows that decide about the columns' types

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

[[noreturn]] void fail_unknown(std::string_view name, const std::vector<std::string>& known, const std::string& where) {
  const std::string near = base::nearest(name, known);
  throw Error(fmt::format("{}: no column {}{}; it has {}", where, files::quote(name),
                          near.empty() ? "" : fmt::format(" (did you mean {}?)", files::quote(near)),
                          fmt::join(known, ", ")));
}

}  // namespace

std::string_view name_of(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "number";
    case ColumnType::time:
      return "time";
    case ColumnType::category:
      return "category";
  }
  return "";
}

std::pair<std::string, ColumnType> parse_typed_name(const std::string& text) {
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  for (const ColumnType type : {ColumnType::number, ColumnType::time, ColumnType::category}) {
    if (colon > 0 && colon < text.size() && text.substr(colon + 1) == name_of(type))
      return {text.substr(0, colon), type};
  }
  throw Error(fmt::format("{} is not NAME:number, NAME:time or NAME:category", files::quote(text)));
}

const Column* DataTable::find(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

const Column& DataTable::column(std::string_view name) const {
  if (const Column* found = find(name)) return *found;
  fail_unknown(name, names_of(columns), sources_.empty() ? "table" : sources_.front().file);
}

std::string DataTable::where(std::size_t row) const {
  const auto after =
      std::find_if(sources_.rbegin(), sources_.rend(), [row](const Source& source) { return source.first_row <= row; });
  if (after == sources_.rend()) return "table";
  if (packed_ && row < packed_rows_) return fmt::format("{}: row {}", after->file, row + 1);
  return row < lines_.size() ? fmt::format("{}:{}", after->file, lines_[row]) : after->file;
}

// Takes in file after file. Of the first rows the fields themselves are kept until the types are known.
class TableBuilder {
 public:
  explicit TableBuilder(const TableOptions& options) : options_(options) {}

  void read(const std::filesystem::path& path) {
    RecordReader reader(path, options_.delimiter);
    std::vector<std::string_view> fields;
    if (!reader.next(fields))
      throw Error(fmt::format("{}: empty: the first line must name the columns", path.string()));
    if (!fields.empty() && (fields[0].starts_with('{') || fields[0].starts_with('['))) {
      reader.fail("this looks like JSON; a table is CSV or TSV, whose first line names the columns");
    }
    table_.sources_.push_back({path.string(), table_.rows()});
    const std::optional<WideHeader> wide = find_wide(fields, reader.next_line());
    const std::vector<std::size_t> slots =
        wide ? match_header({wide->names.begin(), wide->names.end()}, reader) : match_header(fields, reader);
    const std::size_t width = wide ? wide->leading + wide->places.size() : slots.size();
    const std::size_t first_row = table_.rows();
    if (wide) table_.turned_ = {wide->first, wide->last};
    if (wide && wide->series) joined_ = wide->names[wide->leading];
    commas_ = reader.delimiter() == ',';
    std::size_t enough = first_row + kProbed;
    while (reader.next(fields)) {
      while (fields.size() > width && fields.back().empty()) fields.pop_back();  // delimiters at the line's end
      while (fields.size() < width && unnamed_last_ == width - fields.size()) fields.emplace_back();
      if (fields.size() != width) {
        reader.fail(fmt::format(
            "{} fields, the header has {}{}", fields.size(), width,
            width == 1 ? "; lines above the names of the columns are remarks where they begin with #" : ""));
      }
      if (wide) {
        take_series(*wide, fields, slots, reader.line());
      } else {
        take_row(fields, slots, reader.line());
      }
      if (table_.rows() >= enough) {
        reserve(first_row, reader.bytes(), std::filesystem::file_size(path));
        enough = std::numeric_limits<std::size_t>::max();
      }
    }
  }

  DataTable finish() {
    if (!typed_) decide();
    drop_joined_where_named();
    // What stands behind the last delimiter of a header, mostly.
    std::erase_if(table_.columns, [&](const Column& column) {
      return column.missing == table_.rows() && table_.rows() > 0 && options_.columns.empty() &&
             std::find(unnamed_.begin(), unnamed_.end(), column.name) != unnamed_.end();
    });
    if (options_.columns.empty()) add_usual_columns(table_);
    for (const std::string& name : made_) {
      if (table_.find(name) == nullptr) add_made_column(table_, name);
    }
    return std::move(table_);
  }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Dictionary = std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>>;

  static constexpr std::size_t kSkipped = std::numeric_limits<std::size_t>::max();

  void take_row(const std::vector<std::string_view>& fields, const std::vector<std::size_t>& slots,
                std::uint64_t line) {
    table_.lines_.push_back(static_cast<std::uint32_t>(line));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (slots[i] != kSkipped) take(slots[i], fields[i]);
    }
    if (!typed_ && table_.rows() == kProbed) decide();
  }

  // A row that is a series, as rows of the table. Series need not be of one length: what is missing is no row.
  void take_series(const WideHeader& wide, const std::vector<std::string_view>& fields,
                   const std::vector<std::size_t>& slots, std::uint64_t line) {
    const std::vector<std::string> leading = wide.leading_fields(fields);
    std::vector<std::string_view> row(leading.begin(), leading.end());
    row.resize(leading.size() + 2);
    for (std::size_t i = 0; i < wide.places.size(); ++i) {
      row[leading.size()] = wide.places[i];
      row[leading.size() + 1] = fields[wide.leading + i];
      if (!base::is_missing(row.back())) take_row(row, slots, line);
    }
  }

  // Of a table that was turned, one column by itself may tell its series apart: then it is their name.
  void drop_joined_where_named() {
    const Column* const joined = joined_.empty() ? nullptr : table_.find(joined_);
    const bool asked = std::find(options_.made.begin(), options_.made.end(), joined_) != options_.made.end();
    if (joined == nullptr || asked || !options_.columns.empty()) return;
    const bool named = std::any_of(table_.columns.begin(), table_.columns.end(), [&](const Column& column) {
      return &column != joined && column.missing == 0 && column.categories.size() >= joined->categories.size();
    });
    if (named) std::erase_if(table_.columns, [&](const Column& column) { return column.name == joined_; });
  }

  // Which column of the table each field of this file belongs to.
  std::vector<std::size_t> match_header(const std::vector<std::string_view>& header, const RecordReader& reader) {
    double number = 0;
    if (std::all_of(header.begin(), header.end(), [&](std::string_view name) {
          return parse_number(name, {}, number) || base::parse_timestamp(name);
        })) {
      reader.fail("no header: the first line must name the columns");
    }
    const std::vector<std::string> names = named(header);
    if (table_.columns.empty()) begin_columns(names, reader);
    std::vector<std::size_t> slots(names.size(), kSkipped);
    for (std::size_t slot = 0; slot < table_.columns.size(); ++slot) {
      const auto found = std::find(names.begin(), names.end(), table_.columns[slot].name);
      if (found == names.end()) fail_unknown(table_.columns[slot].name, names, reader.where());
      slots[static_cast<std::size_t>(found - names.begin())] = slot;
    }
    return slots;
  }

  // Every column has a name, and one of its own.
  std::vector<std::string> named(const std::vector<std::string_view>& header) {
    std::vector<std::string> names;
    const auto is_there = [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end() ||
             std::find(header.begin(), header.end(), name) != header.end();
    };
    unnamed_last_ = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
      std::string name(header[i]);
      unnamed_last_ = name.empty() ? unnamed_last_ + 1 : 0;
      if (name.empty()) {
        name = fmt::format("column{}", i + 1);
        while (is_there(name)) name += '_';
        unnamed_.push_back(name);
      }
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        int count = 2;
        while (is_there(fmt::format("{}.{}", name, count))) ++count;
        name += fmt::format(".{}", count);
      }
      names.push_back(std::move(name));
    }
    return names;
  }

  void begin_columns(const std::vector<std::string>& names, const RecordReader& reader) {
    const auto begin = [&](const std::string& name) {
      if (table_.find(name) == nullptr) table_.columns.emplace_back().name = name;
    };
    std::vector<std::string> parts;
    for (const std::string& name : options_.columns.empty() ? names : options_.columns) {
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        begin(name);
      } else if (can_be_made(name, names, parts)) {
        std::for_each(parts.begin(), parts.end(), begin);
        made_.push_back(name);
      } else {
        fail_unknown(name, names, reader.where());
      }
    }
    // Rows need something to be counted by.
    if (table_.columns.empty() && !names.empty()) begin(names.front());
    for (const std::string& name : options_.made) {
      if (table_.find(name) == nullptr && can_be_made(name, names, parts)) made_.push_back(name);
    }
    for (const auto& [name, type] : options_.types) {
      if (std::find(names.begin(), names.end(), name) == names.end()) fail_unknown(name, names, reader.where());
    }
    if (!options_.aside.empty()) {
      for (Column& column : table_.columns) column.values = Values(room_aside());
      table_.lines_ = Numbers<std::uint32_t>(room_aside());
    }
    probed_.resize(table_.columns.size());
    forms_.resize(table_.columns.size());
    dictionaries_.resize(table_.columns.size());
    last_codes_.resize(table_.columns.size());
  }

  std::shared_ptr<files::GrowingFile> room_aside() const {
    return std::make_shared<files::GrowingFile>(options_.aside);
  }

  // Room for as many rows as the file will have by the look of its first ones; one that is gzipped has more.
  void reserve(std::size_t first_row, std::uint64_t bytes, std::uintmax_t size) {
    const std::size_t rows =
        first_row + static_cast<std::size_t>(1.02 * kProbed * static_cast<double>(size) / static_cast<double>(bytes));
    table_.lines_.reserve(rows);
    for (Column& column : table_.columns) column.values.reserve(rows);
  }

  void take(std::size_t slot, std::string_view field) {
    if (typed_) {
      add(slot, field, table_.rows() - 1);
    } else {
      probed_[slot].emplace_back(field);
    }
  }

  // The types, and with them all that was kept.
  void decide() {
    typed_ = true;
    for (std::size_t slot = 0; slot < table_.columns.size(); ++slot) {
      Column& column = table_.columns[slot];
      const auto told = options_.types.find(column.name);
      const FieldForm& form = forms_[slot] = told == options_.types.end()
                                                 ? form_of(column.name, probed_[slot], commas_)
                                                 : form_of(column.name, probed_[slot], commas_, told->second);
      column.type = form.type;
      for (std::size_t row = 0; row < probed_[slot].size(); ++row) add(slot, probed_[slot][row], row);
    }
    probed_.clear();
  }

  void add(std::size_t slot, std::string_view field, std::size_t row) {
    Column& column = table_.columns[slot];
    double value = kMissing;
    if (base::is_missing(field)) {
      ++column.missing;
    } else if (column.type == ColumnType::number) {
      value = number_of(slot, field, row);
    } else if (column.type == ColumnType::time) {
      value = time_of(slot, field, row);
    } else {
      value = static_cast<double>(code_of(slot, field));
    }
    column.values.push_back(value);
  }

  double number_of(std::size_t slot, std::string_view field, std::size_t row) {
    Column& column = table_.columns[slot];
    double value = kMissing;
    if (!parse_number(field, forms_[slot], value)) {
      return refuse(column, field, row,
                    "is not a number (a field is missing where it is empty, NA, NaN, null, None or -)");
    }
    return std::isfinite(value) ? value : refuse(column, field, row, "is not a finite number");
  }

  double time_of(std::size_t slot, std::string_view field, std::size_t row) {
    Column& column = table_.columns[slot];
    const std::optional<base::Timestamp> time = parse_time(field, forms_[slot]);
    if (!time) return refuse(column, field, row, "is not a time such as 2024-05-31 or 2024-05-31T12:30:00Z");
    const bool first = column.missing == column.values.size();
    if (!first && time->zoned != column.zoned) {
      return refuse(
          column, field, row,
          column.zoned ? "names no zone, and times before it do" : "names a zone, and times before it do not");
    }
    column.zoned = time->zoned;
    return time->seconds;
  }

  std::size_t code_of(std::size_t slot, std::string_view field) {
    const std::vector<std::string>& words = table_.columns[slot].categories;
    std::size_t& last = last_codes_[slot];  // rows of a group mostly stand together
    if (last < words.size() && words[last] == field) return last;
    Dictionary& dictionary = dictionaries_[slot];
    auto found = dictionary.find(field);
    if (found == dictionary.end()) {
      found = dictionary.emplace(std::string(field), dictionary.size()).first;
      table_.columns[slot].categories.emplace_back(field);
    }
    return last = found->second;
  }

  // It is missing, for those who may never ask for the column.
  double refuse(Column& column, std::string_view field, std::size_t row, const char* why) const {
    if (column.strays.count++ == 0) column.strays = {1, row, std::string(field), why};
    if (!options_.lenient) check_readable(table_, column);
    ++column.missing;
    return kMissing;
  }

  const TableOptions& options_;
  DataTable table_;
  std::vector<std::vector<std::string>> probed_;  // [column][row]
  std::vector<Dictionary> dictionaries_;          // [column]
  std::vector<std::size_t> last_codes_;           // [column]
  std::vector<FieldForm> forms_;                  // [column]
  std::vector<std::string> unnamed_, made_;
  std::string joined_;            // the column that was made of all that name a series
  std::size_t unnamed_last_ = 0;  // columns at the header's end that have no name
  bool typed_ = false, commas_ = true;
};

DataTable read_data_table(const std::vector<std::filesystem::path>& files, const TableOptions& options) {
  if (files.empty()) throw Error("no file to read a table from");
  const auto packed = std::find_if(files.begin(), files.end(), is_packed_table);
  if (packed != files.end()) {
    if (files.size() == 1) return open_packed_table(*packed, options);
    throw Error(
        fmt::format("{}: is a packed table, which stands for itself: pack all files into one", packed->string()));
  }
  TableBuilder builder(options);
  for (const std::filesystem::path& file : files) builder.read(file);
  return builder.finish();
}

}  // namespace cmanp::data
