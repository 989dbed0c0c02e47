#include "tables/csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmanp/error.hpp>
#include <cmath>
#include <cstring>
#include <utility>

#include "files/quote.hpp"

namespace cmanp::tables {
namespace {

constexpr std::size_t kBufferSize = 256 * 1024;

int open_input(const std::filesystem::path& path) {
  if (path == "-") return STDIN_FILENO;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
  return descriptor;
}

std::string input_name(const std::filesystem::path& path) { return path == "-" ? "standard input" : path.string(); }

const char* skip_blanks(const char* from, const char* end) {
  while (from != end && (*from == ' ' || *from == '\t')) ++from;
  return from;
}

// What most fields look like: a number with nothing but blanks around it. Gives the end of the field, or null.
const char* parse_plain(const char* from, const char* end, double& value) {
  const auto [stop, error] = std::from_chars(skip_blanks(from, end), end, value);
  if (error != std::errc()) return nullptr;
  const char* after = skip_blanks(stop, end);
  return after == end || *after == ',' ? after : nullptr;
}

// Any field: quotes around it and a plus sign before it are fine, too.
std::errc parse_field(std::string_view field, double& value) {
  field = unquote(field);
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && stop != field.data() + field.size() ? std::errc::invalid_argument : error;
}

}  // namespace

CsvReader::Input::~Input() {
  if (owned) ::close(descriptor);
}

CsvReader::CsvReader(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows)
    : input_(open_input(path), path != "-"), name_(input_name(path)), dim_x_(dim_x), dim_y_(dim_y), rows_(rows) {
  read_header();
}

CsvReader::CsvReader(int descriptor, std::string name, std::size_t dim_x, std::size_t dim_y, Rows rows)
    : input_(descriptor, false), name_(std::move(name)), dim_x_(dim_x), dim_y_(dim_y), rows_(rows) {
  read_header();
}

void CsvReader::fail(const std::string& what) const { throw Error(fmt::format("{}:{}: {}", name_, line_, what)); }

void CsvReader::read_header() {
  buffer_.resize(kBufferSize);
  values_.resize(dim_x_ + dim_y_);
  std::string_view header;
  if (!next_line(header)) {
    throw Error(fmt::format("{}: empty: the first line must name the columns ({})", name_,
                            describe_columns(dim_x_, dim_y_, rows_)));
  }
  columns_ = match_columns(header, dim_x_, dim_y_, rows_, fmt::format("{}:{}", name_, line_));
}

bool CsvReader::fill() {
  if (end_of_input_) return false;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= std::exchange(begin_, 0);
  if (end_ == buffer_.size()) {
    ++line_;
    fail(fmt::format("a line of more than {} bytes", buffer_.size()));
  }
  while (true) {
    const ssize_t count = ::read(input_.descriptor, buffer_.data() + end_, buffer_.size() - end_);
    if (count >= 0) {
      end_ += static_cast<std::size_t>(count);
      bytes_read_ += static_cast<std::uint64_t>(count);
      end_of_input_ = count == 0;
      return count > 0;
    }
    if (errno == EAGAIN) {  // somebody made the descriptor non-blocking
      pollfd wait{input_.descriptor, POLLIN, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      throw Error(fmt::format("{}: cannot read: {}", name_, std::strerror(errno)));
    }
  }
}

bool CsvReader::next_line(std::string_view& line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (true) {
    const char* start = buffer_.data() + begin_;
    std::size_t size = end_ - begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start + scanned_, '\n', size - scanned_));
    if (newline != nullptr) {
      size = static_cast<std::size_t>(newline - start);
      begin_ += size + 1;
    } else {
      scanned_ = size;
      if (fill()) continue;
      if (size == 0) return false;
      start = buffer_.data() + begin_;  // the last line, without a newline
      begin_ = end_;
    }
    scanned_ = 0;
    line = {start, size};
    if (++line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    line = trim(line);
    if (!line.empty()) return true;
  }
}

bool CsvReader::parse(std::string_view line) {
  const char* const end = line.data() + line.size();
  const std::size_t width = columns_.slots.size();
  std::size_t column = 0;
  std::size_t empty = 0;  // y fields without a number
  for (const char* from = line.data();; ++column) {
    if (column == width) {
      fail(fmt::format("{} fields, the header has {}", 1 + std::count(line.begin(), line.end(), ','), width));
    }
    const std::size_t slot = columns_.slots[column];
    double& value = values_[slot];
    const char* stop = parse_plain(from, end, value);
    if (stop == nullptr) {
      stop = std::find(from, end, ',');
      const std::string_view field(from, static_cast<std::size_t>(stop - from));
      const std::errc error = parse_field(field, value);
      if (unquote(field).empty()) {
        if (rows_ != Rows::questions || slot < dim_x_) fail(fmt::format("column '{}': empty", columns_.names[column]));
        value = 0;
        ++empty;
      } else if (error != std::errc()) {
        fail(fmt::format("column '{}': {} {}", columns_.names[column], files::quote(unquote(field)),
                         error == std::errc::result_out_of_range ? "is too large or too small" : "is not a number"));
      }
    }
    if (!std::isfinite(value)) fail(fmt::format("column '{}': not a finite number", columns_.names[column]));
    if (stop == end) break;
    from = stop + 1;
  }
  ++column;
  const bool only_x = rows_ == Rows::questions && columns_.x_first && column == dim_x_;
  if (column != width && !only_x) fail(fmt::format("{} fields, the header has {}", column, width));
  if (empty != 0 && empty != dim_y_) fail("some y are empty: a point has all of them, a question none");
  return !only_x && empty == 0 && columns_.has_y;
}

bool CsvReader::next(Row& row) {
  std::string_view line;
  if (!next_line(line)) return false;
  const std::span<const double> values(values_);
  row.y = parse(line) ? values.subspan(dim_x_) : std::span<const double>();
  row.x = values.first(dim_x_);
  row.line = line_;
  return true;
}

bool CsvReader::buffered() const {
  if (end_of_input_) return true;
  // Blank lines are no answer: a row begins at the first thing that is not blank.
  const std::string_view rest = std::string_view(buffer_.data(), end_).substr(begin_);
  const std::size_t first = rest.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && rest.find('\n', first) != std::string_view::npos;
}

Table read_table(const std::filesystem::path& path, std::size_t dim_x, std::size_t dim_y, Rows rows) {
  CsvReader reader(path, dim_x, dim_y, rows);
  Table table;
  for (Row row; reader.next(row); ++table.rows) {
    table.x.insert(table.x.end(), row.x.begin(), row.x.end());
    table.y.insert(table.y.end(), row.y.begin(), row.y.end());
  }
  return table;
}

}  // namespace cmanp::tables
