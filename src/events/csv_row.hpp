// A row of an event table: which field is the sequence, which the time, which the mark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.hpp"
#include "events/read_events.hpp"

namespace cmanp::events {

struct EventColumns {
  std::size_t count = 0;  // of the header
  std::optional<std::size_t> sequence, mark;
  std::size_t time = 0;
  char separator = ',';                                // or a semicolon or tab
  base::DayOrder day_order = base::DayOrder::unknown;  // of dates such as 05/06/2024
  bool more = false;                                   // rows may be longer than the header, as JODIE's are
  std::vector<std::string> remarks = {};               // of columns that may have been meant
};

// The same by names that are apart already, such as those of a JSON object.
EventColumns find_columns(const std::vector<std::string>& names, const ReadOptions& options, const std::string& where);

// By the header's names; `where` begins the message of the Error where there is no time column or none of a name that
// was asked for, or where one stands twice.
EventColumns find_columns(std::string_view header, const ReadOptions& options, const std::string& where);

struct EventRow {
  std::string_view sequence, time, mark;  // without quotes and blanks; empty where there is no such column
};

// Throws Error where the row has another number of fields than the header.
EventRow parse_row(std::string_view line, const EventColumns& columns, const std::string& where);

struct EventTimeField {
  double time = 0;
  bool dated = false;  // a date, as seconds since 1970
};

// A number, or a date as people write them. Throws Error where it is neither, not finite or negative.
EventTimeField parse_event_time(std::string_view field, const EventColumns& columns, const std::string& where);

}  // namespace cmanp::events
