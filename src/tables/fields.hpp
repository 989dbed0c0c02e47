// A line's fields: what parts them, where they end, and the numbers and times in them.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/timestamp.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::tables {

// Whatever there is most of that is not in quotes: a comma, a semicolon or a tab.
char separator_of(std::string_view header);

// A tab is a blank only where it does not part fields.
const char* skip_blanks(const char* from, const char* end, char separator);

// The end of any field: what is in quotes does not part it.
const char* field_end(const char* from, const char* end, char separator);

// As without a separator; a number may have a decimal comma where commas do not part fields.
std::errc parse_number(std::string_view field, char separator, double& value);

// What is wrong with a field that should hold a number or a time, as the end of a sentence.
std::string_view why_no_time(std::string_view text, std::errc error);

// The first line that is no remark (#).
bool next_header(LineReader& lines, std::string_view& header);

// Which of day, month and year comes first in a column of times, by all rows of a file that can be read twice; unknown
// where they do not tell, or are no such times.
base::DayOrder day_order(const std::filesystem::path& path, char separator, std::size_t column);

}  // namespace cmanp::tables
