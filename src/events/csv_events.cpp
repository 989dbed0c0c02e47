// CSV: JODIE's, and any with columns that the user names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/suggest.hpp"
#include "events/csv_row.hpp"
#include "events/event_sink.hpp"
#include "files/quote.hpp"
#include "files/utf8.hpp"
#include "tables/csv_columns.hpp"
#include "tables/fields.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::events {
namespace {

// Calls back with each field and its number.
template <class Call>
std::size_t for_each_field(std::string_view line, char separator, const Call& call) {
  const char *from = line.data(), *const end = line.data() + line.size();
  for (std::size_t count = 0;; ++count) {
    const char* stop = tables::field_end(from, end, separator);
    call(tables::unquote({from, static_cast<std::size_t>(stop - from)}), count);
    if (stop == end) return count + 1;
    from = stop + 1;
  }
}

}  // namespace

bool is_jodie(std::string_view header) { return header.starts_with("user_id,item_id,timestamp,state_label"); }

EventColumns find_columns(const std::vector<std::string>& names, const ReadOptions& options, const std::string& where) {
  EventColumns columns;
  columns.count = names.size();
  const std::string all = files::quote(fmt::format("{}", fmt::join(names, ",")));
  const auto place = [&](const std::string& name) -> std::optional<std::size_t> {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return {};
    if (std::find(found + 1, names.end(), name) != names.end()) {
      throw Error(fmt::format("{}: column {} is there twice", where, files::quote(name)));
    }
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto time = place(options.time_column);
  if (!time) {
    throw Error(fmt::format("{}: no column {} (the header names {}); say which one holds the time", where,
                            files::quote(options.time_column), all));
  }
  columns.time = *time;
  columns.sequence = place(options.sequence_column);
  columns.mark = place(options.mark_column);
  // Data may be without these, but not where somebody named them.
  const bool others = names.size() > 1U + (columns.sequence ? 1 : 0) + (columns.mark ? 1 : 0);
  const auto check = [&](bool there, const std::string& name, const std::string& usual, const char* flag,
                         const char* without) {
    if (there) return;
    if (name != usual) {
      const std::string near = base::nearest(name, names);
      throw Error(fmt::format("{}: no column {} (the header names {}){}", where, files::quote(name), all,
                              near.empty() ? "" : fmt::format("; did you mean {}?", files::quote(near))));
    }
    if (others) {
      columns.remarks.push_back(fmt::format("{}: no column {}: {} ({} names another; the header has {})", where,
                                            files::quote(name), without, flag, all));
    }
  };
  const ReadOptions usual;
  check(columns.sequence.has_value(), options.sequence_column, usual.sequence_column, "--sequence-column",
        "all events are one sequence");
  check(columns.mark.has_value(), options.mark_column, usual.mark_column, "--mark-column", "events are of one kind");
  return columns;
}

EventColumns find_columns(std::string_view header, const ReadOptions& options, const std::string& where) {
  const char separator = tables::separator_of(header);
  std::vector<std::string> names;
  for_each_field(header, separator, [&](std::string_view name, std::size_t) { names.emplace_back(name); });
  EventColumns columns = find_columns(names, options, where);
  columns.separator = separator;
  return columns;
}

EventRow parse_row(std::string_view line, const EventColumns& columns, const std::string& where) {
  EventRow row;
  const std::size_t count = for_each_field(line, columns.separator, [&](std::string_view field, std::size_t column) {
    if (column == columns.time) row.time = field;
    if (columns.sequence && column == *columns.sequence) row.sequence = field;
    if (columns.mark && column == *columns.mark) row.mark = field;
  });
  // A line comes without its last tabs, and the empty fields between them.
  const bool too_short = count < columns.count && columns.separator != '\t';
  if (too_short || (count > columns.count && !columns.more)) {
    throw Error(fmt::format("{}: {} fields, the header has {}", where, count, columns.count));
  }
  if (!files::is_utf8(row.sequence)) {
    throw Error(fmt::format("{}: sequence {} is no UTF-8", where, files::quote(row.sequence)));
  }
  return row;
}

EventTimeField parse_event_time(std::string_view field, const EventColumns& columns, const std::string& where) {
  EventTimeField result;
  const std::errc error = tables::parse_number(field, columns.separator, result.time);
  const auto refuse = [&](std::string_view why) {
    throw Error(fmt::format("{}: time {} {}", where, files::quote(field), why));
  };
  if (field.empty()) throw Error(fmt::format("{}: the time is empty", where));
  if (error != std::errc()) {
    const auto date = base::parse_timestamp(field, columns.day_order);
    if (!date) refuse(tables::why_no_time(field, error));
    if (date->seconds < 0) refuse("is before 1970, where times begin");
    return {date->seconds, true};
  }
  if (!std::isfinite(result.time)) refuse("is not a finite number");
  return result;
}

void read_csv(const std::filesystem::path& path, const ReadOptions& options, EventSink& sink) {
  tables::LineReader lines(path);
  const auto where = [&] { return fmt::format("{}:{}", lines.name(), lines.line()); };
  std::string_view line;
  if (!tables::next_header(lines, line)) {
    throw Error(fmt::format("{}: empty: the first line must name the columns", lines.name()));
  }
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
    columns.remarks.clear();
  }
  if (std::filesystem::is_regular_file(path)) {
    columns.day_order = tables::day_order(path, columns.separator, columns.time);
  }
  for (std::string& remark : columns.remarks) sink.remark(std::move(remark));
  std::unordered_map<std::string, std::size_t> number_of;
  while (lines.next(line)) {
    const EventRow row = parse_row(line, columns, where());
    const std::string name(row.sequence);
    auto found = number_of.find(name);
    if (found == number_of.end()) {
      const std::string shown = columns.sequence ? name : path.string();
      found = number_of.emplace(name, sink.begin_sequence(shown)).first;
    }
    const EventTimeField when = parse_event_time(row.time, columns, where());
    sink.add(found->second, when.time, columns.mark ? &row.mark : nullptr, where(), when.dated);
  }
}

}  // namespace cmanp::events
