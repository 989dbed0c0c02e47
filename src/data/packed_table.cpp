#include "data/packed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <utility>

#include "data/role_columns.hpp"
#include "data/row_order.hpp"
#include "files/quote.hpp"
#include "files/safetensors.hpp"

namespace cmanp::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "cmanp-table";
constexpr const char* kVersion = "1";

std::string key(const char* what, std::size_t column) { return fmt::format("{}.{}", what, column); }

// Words as bytes, one after the other, and where each ends.
struct PackedWords {
  std::vector<std::uint64_t> bytes, ends;

  explicit PackedWords(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) {
      all += word;
      ends.push_back(all.size());
    }
    bytes.resize((all.size() + 7) / 8);
    if (!all.empty()) std::memcpy(bytes.data(), all.data(), all.size());
  }
};

class PackedReader {
 public:
  PackedReader(const files::Safetensors& file, std::shared_ptr<const void> keeper)
      : file_(file), keeper_(std::move(keeper)) {}

  std::vector<Column> read() {
    if (entry("format") != kFormat) {
      fail(fmt::format("is no table: its format is {}", files::quote(entry("format"))));
    }
    if (entry("format_version") != kVersion) {
      fail(fmt::format("is a packed table of version {}, and this cmanp reads version {}: pack it again",
                       files::quote(entry("format_version")), kVersion));
    }
    std::vector<Column> columns;
    while (file_.metadata().contains(key("name", columns.size()))) columns.push_back(column(columns.size()));
    if (columns.empty()) fail("is damaged: it has no columns");
    if (used_ != file_.tensors().size()) fail("is damaged: it holds what belongs to no column");
    return columns;
  }

 private:
  Column column(std::size_t index) {
    Column column;
    column.name = entry(key("name", index));
    column.type = type_of(entry(key("type", index)));
    column.zoned = file_.metadata().contains(key("zoned", index));
    if (column.name.empty() || !names_.insert(column.name).second) fail("is damaged: names of columns");
    const std::span<const double> values = tensor<double>("values", index, files::DType::f64);
    if (index > 0 && values.size() != rows_) fail("is damaged: its columns are of different lengths");
    rows_ = values.size();
    if (column.type == ColumnType::category) column.categories = words(index);
    check(column, values);
    column.values = Values(values, keeper_);
    return column;
  }

  // What arithmetic on these would not survive.
  void check(Column& column, std::span<const double> values) const {
    const auto words = static_cast<double>(column.categories.size());
    for (const double value : values) {
      if (std::isnan(value)) {
        ++column.missing;
      } else if (column.type == ColumnType::category) {
        if (!(value >= 0 && value < words && value == std::floor(value))) fail_in(column.name);
      } else if (!std::isfinite(value)) {
        fail_in(column.name);
      }
    }
  }

  std::vector<std::string> words(std::size_t index) {
    const std::span<const std::uint64_t> packed = tensor<std::uint64_t>("words", index, files::DType::u64);
    const std::span<const std::uint64_t> ends = tensor<std::uint64_t>("ends", index, files::DType::u64);
    const auto* text = reinterpret_cast<const char*>(packed.data());
    std::vector<std::string> words;
    words.reserve(ends.size());
    for (std::uint64_t begin = 0; const std::uint64_t end : ends) {
      if (end < begin || end > 8 * packed.size()) fail(fmt::format("is damaged: in the words of column {}", index));
      words.emplace_back(text + begin, end - begin);
      begin = end;
    }
    return words;
  }

  template <class Number>
  std::span<const Number> tensor(const char* what, std::size_t index, files::DType type) {
    const auto found = file_.tensors().find(key(what, index));
    if (found == file_.tensors().end() || found->second.dtype != type || found->second.shape.size() != 1) {
      fail(fmt::format("is damaged: no {} of column {}", what, index));
    }
    ++used_;
    return {reinterpret_cast<const Number*>(found->second.bytes.data()), found->second.elements()};
  }

  ColumnType type_of(const std::string& name) const {
    for (const ColumnType type : {ColumnType::number, ColumnType::time, ColumnType::category}) {
      if (name == name_of(type)) return type;
    }
    fail(fmt::format("is damaged: a column of type {}", files::quote(name)));
  }

  const std::string& entry(const std::string& name) const {
    const auto found = file_.metadata().find(name);
    if (found == file_.metadata().end()) fail(fmt::format("is no packed table: it has no {}", files::quote(name)));
    return found->second;
  }

  [[noreturn]] void fail_in(const std::string& column) const {
    fail(fmt::format("is damaged: in column {}", files::quote(column)));
  }
  [[noreturn]] void fail(const std::string& why) const { throw Error(fmt::format("{}: {}", file_.name(), why)); }

  const files::Safetensors& file_;
  std::shared_ptr<const void> keeper_;
  std::set<std::string> names_;
  std::size_t rows_ = 0, used_ = 0;
};

}  // namespace

// A file of safetensors begins with the length of its header, which as text would be beyond any.
bool is_packed_table(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::uint64_t length = 0;
  char next = 0;
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(&length), sizeof length).get(next);
  return file.good() && length < (std::uint64_t{1} << 32) && next == '{';
}

DataTable open_packed_table(const fs::path& path, const TableOptions& options) {
  const auto file = std::make_shared<const files::Safetensors>(files::Safetensors::open(path));
  DataTable table;
  std::vector<Column> all = PackedReader(*file, file).read();
  file->check_unchanged();
  table.sources_.push_back({path.string(), 0});
  table.packed_ = file;
  table.columns = std::move(all);
  table.packed_rows_ = table.columns.front().values.size();
  for (const auto& [name, type] : options.types) {
    if (table.column(name).type == type) continue;
    throw Error(fmt::format("{}: column {} was packed as {}, not {}: say --columns when it is packed", path.string(),
                            files::quote(name), name_of(table.column(name).type), name_of(type)));
  }
  if (options.columns.empty()) return table;
  std::vector<Column> wanted;
  for (const std::string& name : options.columns) wanted.push_back(table.column(name));
  table.columns = std::move(wanted);
  return table;
}

void pack_table(const DataTable& table, const Roles& roles, const fs::path& path) {
  if (table.rows() == 0) throw Error(fmt::format("{}: the table has no rows", table.where(0)));
  for (const Column& column : table.columns) check_readable(table, column);
  const fs::path folder = path.parent_path();
  const RowOrder order(table, roles, folder);
  files::Metadata metadata{{"format", kFormat}, {"format_version", kVersion}};
  files::TensorViews views;
  std::vector<PackedWords> words;
  words.reserve(table.columns.size());  // views look into them
  std::vector<Values> in_order;
  in_order.reserve(table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    metadata[key("name", i)] = column.name;
    metadata[key("type", i)] = name_of(column.type);
    if (column.zoned) metadata[key("zoned", i)] = "true";
    const Values& values = in_order.emplace_back(order.sorted(column.values));
    views[key("values", i)] = files::view_of(std::span(values), {values.size()});
    if (column.type != ColumnType::category) continue;
    const PackedWords& own = words.emplace_back(column.categories);
    views[key("words", i)] = files::view_of(std::span(own.bytes), {own.bytes.size()});
    views[key("ends", i)] = files::view_of(std::span(own.ends), {own.ends.size()});
  }
  files::write_safetensors(path, metadata, views);
}

}  // namespace cmanp::data
