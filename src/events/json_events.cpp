// JSON: an object an event, one a line, or all in one list.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "events/csv_row.hpp"
#include "events/event_sink.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::events {
namespace {

using Json = nlohmann::ordered_json;

class Objects {
 public:
  Objects(std::string file, const ReadOptions& options, EventSink& sink)
      : file_(std::move(file)), options_(options), sink_(sink) {}

  void add(const Json& object, const std::string& where) {
    if (!object.is_object()) throw Error(fmt::format("{}: an event is an object, {{\"time\": …}}", where));
    if (!columns_) begin(object, where);
    const std::string sequence = columns_->sequence ? text_of(object, options_.sequence_column, where) : file_;
    const std::string time = text_of(object, options_.time_column, where);
    const std::string mark = columns_->mark ? text_of(object, options_.mark_column, where) : "";
    auto found = number_of_.find(sequence);
    if (found == number_of_.end()) found = number_of_.emplace(sequence, sink_.begin_sequence(sequence)).first;
    const EventTimeField when = parse_event_time(time, *columns_, where);
    const std::string_view shown = mark;
    sink_.add(found->second, when.time, columns_->mark ? &shown : nullptr, where, when.dated);
  }

 private:
  // The first object's names are all objects'.
  void begin(const Json& object, const std::string& where) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    columns_ = find_columns(names, options_, where);
    for (const std::string& remark : columns_->remarks) sink_.remark(remark);
  }

  static std::string text_of(const Json& object, const std::string& name, const std::string& where) {
    const auto found = object.find(name);
    if (found == object.end()) throw Error(fmt::format("{}: no {}", where, files::quote(name)));
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number() || found->is_boolean()) return found->dump();
    throw Error(fmt::format("{}: {} is neither text nor a number", where, files::quote(name)));
  }

  std::string file_;
  const ReadOptions& options_;
  EventSink& sink_;
  std::optional<EventColumns> columns_;
  std::unordered_map<std::string, std::size_t> number_of_;
};

// By its first letter: the whole may be one line, longer than any line is to be.
bool is_list(const std::filesystem::path& path) {
  std::ifstream file(path);
  char first = 0;
  return file >> first && first == '[';
}

}  // namespace

void read_json_events(const std::filesystem::path& path, const ReadOptions& options, EventSink& sink) {
  Objects objects(path.string(), options, sink);
  if (is_list(path)) {
    const Json all = files::read_json(path);
    for (std::size_t i = 0; i < all.size(); ++i) objects.add(all[i], fmt::format("{}: event {}", path.string(), i + 1));
    return;
  }
  tables::LineReader lines(path);
  std::string_view line;
  while (lines.next(line)) {
    const std::string where = fmt::format("{}:{}", lines.name(), lines.line());
    objects.add(files::parse_json(line, where + ":"), where);
  }
}

}  // namespace cmanp::events
