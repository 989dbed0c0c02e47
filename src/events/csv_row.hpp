// A row of an event table: which field is the sequence, which the time, which the mark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/read_events.hpp"

namespace cmanp::events {

struct EventColumns {
  std::size_t count = 0;  // of the header
  std::optional<std::size_t> sequence, mark;
  std::size_t time = 0;
  bool more = false;  // rows may be longer than the header, as JODIE's are
};

// By the header's names; `where` begins the message of the Error where there is no time column, or one stands twice.
EventColumns find_columns(std::string_view header, const ReadOptions& options, const std::string& where);

struct EventRow {
  std::string_view sequence, time, mark;  // without quotes and blanks; empty where there is no such column
};

// Throws Error where the row has another number of fields than the header.
EventRow parse_row(std::string_view line, const EventColumns& columns, const std::string& where);

}  // namespace cmanp::events
