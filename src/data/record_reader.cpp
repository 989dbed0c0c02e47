#include "data/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstring>
#include <utility>

namespace cmanp::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(const char* begin, const char* end, char delimiter) {
  // A tab is a blank only where it does not part fields.
  while (begin != end && is_blank(*begin) && *begin != delimiter) ++begin;
  while (begin != end && is_blank(end[-1]) && end[-1] != delimiter) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

// Words with blanks between them, of any number.
std::ptrdiff_t count_words(std::string_view line) {
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    count += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1])) ? 1 : 0;
  }
  return count;
}

// Outside quotation marks.
std::ptrdiff_t count_of(char delimiter, const char* begin, const char* end) {
  std::ptrdiff_t count = 0;
  bool inside = false;
  for (const char* at = begin; at != end; ++at) {
    inside ^= *at == '"';
    count += *at == delimiter && !inside ? 1 : 0;
  }
  return count;
}

// A comma where there is none of them.
char likeliest_delimiter(const char* begin, const char* end) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {';', ',', '\t', '|'}) {  // a comma may be part of a name
    const std::ptrdiff_t count = count_of(candidate, begin, end);
    if (count > most) {
      best = candidate;
      most = count;
    }
  }
  return best;
}

}  // namespace

RecordReader::RecordReader(const std::filesystem::path& path, char delimiter)
    : name_(path.string()), file_(path), delimiter_(delimiter), buffer_(2 * kLongest) {
  fill();
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    throw Error(fmt::format("{}: is text in UTF-16: save it as UTF-8", name_));
  }
  // As old programs of the Macintosh end lines.
  if (start.find('\n') == start.npos && start.find('\r') != start.npos) line_end_ = '\r';
}

std::string RecordReader::where() const { return fmt::format("{}:{}", name_, line_); }

void RecordReader::fail(const std::string& what) const { throw Error(fmt::format("{}: {}", where(), what)); }

bool RecordReader::fill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  taken_ += begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) return false;
  const std::size_t count = file_.read({reinterpret_cast<std::uint8_t*>(buffer_.data()) + end_, buffer_.size() - end_});
  at_end_ = count == 0;
  end_ += count;
  return count > 0;
}

// Between begin and end, without the line end. A line end within quotes belongs to the record.
bool RecordReader::find_record(char*& begin, char*& end, bool& quoted) {
  line_ = next_line_;
  std::size_t scanned = 0;
  bool inside = false;
  quoted = false;
  std::uint64_t lines = 0;
  while (true) {
    char* const from = buffer_.data() + begin_;
    char* const stop = buffer_.data() + end_;
    for (char* at = from + scanned; at != stop;) {
      char* newline = static_cast<char*>(std::memchr(at, line_end_, static_cast<std::size_t>(stop - at)));
      char* const line_end = newline == nullptr ? stop : newline;
      for (char* quote = at;
           (quote = static_cast<char*>(std::memchr(quote, '"', static_cast<std::size_t>(line_end - quote)))) != nullptr;
           ++quote) {
        quoted = true;
        inside = !inside;
      }
      scanned = static_cast<std::size_t>(line_end - from);
      if (newline == nullptr) break;
      ++lines;
      ++scanned;
      if (!inside) {
        begin = from;
        end = newline;
        begin_ += scanned;
        next_line_ += lines;
        return true;
      }
      at = newline + 1;
    }
    if (scanned > kLongest) {
      fail(fmt::format("a record of more than {} bytes{}; is this a table?", kLongest,
                       inside ? " (a quotation mark that is never closed?)" : ""));
    }
    if (fill()) continue;
    if (begin_ == end_) return false;
    if (inside) fail("a quotation mark that is never closed");
    begin = buffer_.data() + begin_;
    end = buffer_.data() + end_;
    begin_ = end_;
    next_line_ += lines + 1;
    return true;
  }
}

std::string_view RecordReader::next_line() const {
  const char* const rest = buffer_.data() + begin_;
  const char* const end = buffer_.data() + end_;
  return {rest, static_cast<std::size_t>(std::find(rest, end, line_end_) - rest)};
}

// A name may have blanks, too: they part fields only where the next line agrees.
void RecordReader::find_delimiter(const char* begin, const char* end) {
  delimiter_ = likeliest_delimiter(begin, end);
  width_ = std::count(begin, end, delimiter_);
  const std::string_view line(begin, static_cast<std::size_t>(end - begin)), next = next_line();
  const std::ptrdiff_t words = count_words(line);
  const bool plain = line.find('"') == line.npos && next.find('"') == next.npos;
  if (width_ > 0 || words < 2 || !plain || count_words(next) != words) return;
  delimiter_ = ' ';
  width_ = words - 1;
}

void RecordReader::split_at_blanks(const char* begin, const char* end, std::vector<std::string_view>& fields) const {
  while (true) {
    begin = std::find_if_not(begin, end, is_blank);
    if (begin == end) return;
    const char* const at = std::find_if(begin, end, is_blank);
    fields.emplace_back(begin, static_cast<std::size_t>(at - begin));
    begin = at;
  }
}

void RecordReader::split_plain(char* begin, char* end, std::vector<std::string_view>& fields) const {
  for (char* from = begin;;) {
    char* at = from;
    while (at != end && *at != delimiter_) ++at;
    fields.push_back(trimmed(from, at, delimiter_));
    if (at == end) return;
    from = at + 1;
  }
}

// Quoted fields are written over themselves without their quotes.
void RecordReader::split_quoted(char* begin, char* end, std::vector<std::string_view>& fields) const {
  for (char* from = begin;;) {
    while (from != end && is_blank(*from) && *from != delimiter_) ++from;
    char* at = from;
    if (from != end && *from == '"') {
      char* to = from;
      for (++at; at != end; ++at) {
        if (*at == '"') {
          if (at + 1 == end || at[1] != '"') break;
          ++at;
        }
        *to++ = *at;
      }
      fields.push_back(trimmed(from, to, '\0'));
      if (at != end) ++at;  // the closing quote
      while (at != end && is_blank(*at) && *at != delimiter_) ++at;
      if (at != end && *at != delimiter_) fail("text behind a closing quotation mark");
    } else {
      while (at != end && *at != delimiter_) ++at;
      fields.push_back(trimmed(from, at, delimiter_));
    }
    if (at == end) return;
    from = at + 1;
  }
}

// A line behind # is a remark: before the header, and behind it where it is no row by its fields. The last one before
// the first row is none where it has as many fields: it names the columns.
bool RecordReader::is_comment(const char* begin, const char* end) const {
  if (delimiter_ != '\0') return width_ == 0 || std::count(begin, end, delimiter_) != width_;
  const std::string_view next = next_line();
  if (next.empty()) return true;
  const char likeliest = likeliest_delimiter(begin, end);
  const std::ptrdiff_t count = std::count(begin, end, likeliest);
  const bool starts_with_number = std::string_view("0123456789+-.").find(next.front()) != std::string_view::npos;
  return count == 0 || count != std::count(next.begin(), next.end(), likeliest) || !starts_with_number;
}

// A line above the header: of less than half the fields that most of the lines behind it have, and those have three at
// least.
bool RecordReader::is_title(const char* begin, const char* end) const {
  constexpr std::size_t kLooked = 20;
  const char* at = buffer_.data() + begin_;
  const char* const stop = buffer_.data() + end_;
  std::vector<std::pair<std::ptrdiff_t, char>> counts;
  while (at != stop && counts.size() < kLooked) {
    const char* const line_end = std::find(at, stop, line_end_);
    const char delimiter = likeliest_delimiter(at, line_end);
    if (!std::all_of(at, line_end, is_blank)) counts.emplace_back(count_of(delimiter, at, line_end), delimiter);
    at = line_end == stop ? stop : line_end + 1;
  }
  if (counts.empty()) return false;
  std::sort(counts.begin(), counts.end());
  const auto [usual, delimiter] = counts[counts.size() / 2];
  return usual >= 2 && 2 * (count_of(delimiter, begin, end) + 1) < usual + 1;
}

bool RecordReader::next(std::vector<std::string_view>& fields) {
  char *begin = nullptr, *end = nullptr;
  bool quoted = false;
  do {
    if (!find_record(begin, end, quoted)) return false;
    if (end != begin && end[-1] == '\r') --end;
  } while (std::all_of(begin, end, is_blank) || (*begin == '#' && is_comment(begin, end)) ||
           (delimiter_ == '\0' && is_title(begin, end)));
  if (delimiter_ == '\0') {
    find_delimiter(begin, end);
    if (*begin == '#') ++begin;
  }
  fields.clear();
  if (delimiter_ == ' ') {
    split_at_blanks(begin, end, fields);
  } else if (quoted) {
    split_quoted(begin, end, fields);
  } else {
    split_plain(begin, end, fields);
  }
  return true;
}

}  // namespace cmanp::data
