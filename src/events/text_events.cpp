// The text format: a sequence a line.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <string_view>

#include "events/event_sink.hpp"
#include "files/mapped_file.hpp"
#include "files/quote.hpp"
#include "tables/csv_columns.hpp"

namespace cmanp::events {
namespace {

constexpr std::string_view kBlanks = " \t\r";

double parse_time(std::string_view text, const std::string& where) {
  double time = 0;
  if (tables::parse_number(text, time) != std::errc() || !std::isfinite(time)) {
    throw Error(fmt::format("{}: time {} is not a finite number", where, files::quote(tables::unquote(text))));
  }
  return time;
}

void read_line(std::string_view line, const std::string& place, EventSink& sink) {
  std::size_t at = line.find_first_not_of(kBlanks), count = 0;
  if (at == std::string_view::npos) return;
  const std::size_t sequence = sink.begin_sequence(place);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    const std::string_view event = line.substr(at, end - at);
    const std::size_t colon = event.find(':');
    const std::string where = fmt::format("{}: event {}", place, ++count);
    if (colon == std::string_view::npos) {
      sink.add(sequence, parse_time(event, where), nullptr, where);
    } else {
      const std::string_view mark = event.substr(colon + 1);
      sink.add(sequence, parse_time(event.substr(0, colon), where), &mark, where);
    }
    at = line.find_first_not_of(kBlanks, end);
  }
}

}  // namespace

void read_text(const std::filesystem::path& path, EventSink& sink) {
  const files::MappedFile file(path);
  std::string_view rest(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    read_line(rest.substr(0, end), fmt::format("{}:{}", path.string(), number), sink);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  file.check_unchanged();
}

}  // namespace cmanp::events
