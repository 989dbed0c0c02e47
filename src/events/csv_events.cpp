// CSV: JODIE's, and any with columns that the user names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <unordered_map>

#include "events/csv_row.hpp"
#include "events/event_sink.hpp"
#include "files/quote.hpp"
#include "files/utf8.hpp"
#include "tables/csv_columns.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::events {
namespace {

// Calls back with each field and its number.
template <class Call>
std::size_t for_each_field(std::string_view line, const Call& call) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= line.size(); ++count) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    call(tables::unquote(line.substr(begin, end - begin)), count);
    begin = end + 1;
  }
  return count;
}

}  // namespace

bool is_jodie(std::string_view header) { return header.starts_with("user_id,item_id,timestamp,state_label"); }

EventColumns find_columns(std::string_view header, const ReadOptions& options, const std::string& where) {
  EventColumns columns;
  std::optional<std::size_t> time;
  std::vector<std::string> names;
  const auto take = [&](std::optional<std::size_t>& place, std::size_t column) {
    if (place) throw Error(fmt::format("{}: column {} is there twice", where, files::quote(names[column])));
    place = column;
  };
  columns.count = for_each_field(header, [&](std::string_view name, std::size_t column) {
    names.emplace_back(name);
    if (name == options.time_column) take(time, column);
    if (name == options.sequence_column) take(columns.sequence, column);
    if (name == options.mark_column) take(columns.mark, column);
  });
  if (!time) {
    throw Error(fmt::format("{}: no column {} (the header names {}); say which one holds the time", where,
                            files::quote(options.time_column), files::quote(fmt::format("{}", fmt::join(names, ",")))));
  }
  columns.time = *time;
  return columns;
}

EventRow parse_row(std::string_view line, const EventColumns& columns, const std::string& where) {
  EventRow row;
  const std::size_t count = for_each_field(line, [&](std::string_view field, std::size_t column) {
    if (column == columns.time) row.time = field;
    if (columns.sequence && column == *columns.sequence) row.sequence = field;
    if (columns.mark && column == *columns.mark) row.mark = field;
  });
  if (count < columns.count || (count > columns.count && !columns.more)) {
    throw Error(fmt::format("{}: {} fields, the header has {}", where, count, columns.count));
  }
  if (!files::is_utf8(row.sequence)) {
    throw Error(fmt::format("{}: sequence {} is no UTF-8", where, files::quote(row.sequence)));
  }
  return row;
}

void read_csv(const std::filesystem::path& path, const ReadOptions& options, EventSink& sink) {
  tables::LineReader lines(path);
  const auto where = [&] { return fmt::format("{}:{}", lines.name(), lines.line()); };
  std::string_view line;
  if (!lines.next(line)) throw Error(fmt::format("{}: empty: the first line must name the columns", lines.name()));
  const bool jodie = options.format == "jodie" || (options.format.empty() && is_jodie(line));
  if (jodie && !is_jodie(line)) {
    throw Error(fmt::format("{}: not JODIE's header, user_id,item_id,timestamp,state_label,…", where()));
  }
  ReadOptions named = options;
  if (jodie) {
    named.sequence_column = "user_id";
    named.time_column = "timestamp";
    named.mark_column = "item_id";
  }
  EventColumns columns = find_columns(line, named, where());
  if (jodie) {  // the header has one name for all features, or none
    columns.more = true;
    columns.count = 4;
  }
  std::unordered_map<std::string, std::size_t> number_of;
  while (lines.next(line)) {
    const EventRow row = parse_row(line, columns, where());
    const std::string name(row.sequence);
    auto found = number_of.find(name);
    if (found == number_of.end()) {
      const std::string shown = columns.sequence ? name : path.string();
      found = number_of.emplace(name, sink.begin_sequence(shown)).first;
    }
    sink.add(found->second, row.time, columns.mark ? &row.mark : nullptr, where());
  }
}

}  // namespace cmanp::events
