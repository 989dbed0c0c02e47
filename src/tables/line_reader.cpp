#include "tables/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <utility>

#include "tables/csv_columns.hpp"

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

// A tab in front is an empty field's.
std::string_view without_blanks(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \r"), last = line.find_last_not_of(" \t\r");
  return line.substr(first, last + 1 - first);
}

}  // namespace

LineReader::Input::~Input() {
  if (owned) ::close(descriptor);
}

LineReader::LineReader(const std::filesystem::path& path)
    : input_(open_input(path), path != "-"), name_(input_name(path)), buffer_(kBufferSize) {}

LineReader::LineReader(int descriptor, std::string name)
    : input_(descriptor, false), name_(std::move(name)), buffer_(kBufferSize) {}

void LineReader::fail(const std::string& what) const { throw Error(fmt::format("{}:{}: {}", name_, line_, what)); }

void LineReader::pass_over_long_line() {
  const std::string_view text = std::string_view(buffer_.data(), end_).substr(begin_);
  const std::size_t newline = text.find('\n');
  scanned_ = 0;
  if (newline != std::string_view::npos) {
    begin_ += newline + 1;
    in_long_line_ = false;
    return;
  }
  begin_ = end_;
}

void LineReader::pass_over_blank_lines() {
  while (true) {
    const std::string_view text = std::string_view(buffer_.data(), end_).substr(begin_);
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || text[first] != '\n') return;
    begin_ += first + 1;
    scanned_ = 0;
    ++line_;
  }
}

bool LineReader::read_more() {
  if (end_of_input_) return false;
  if (in_long_line_) pass_over_long_line();
  if (!in_long_line_) pass_over_blank_lines();  // many of them are no long line
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= std::exchange(begin_, 0);
  if (end_ == buffer_.size()) {
    in_long_line_ = true;
    throw LineTooLong(fmt::format("{}:{}: a line of more than {} bytes", name_, ++line_, buffer_.size()));
  }
  while (true) {
    const ssize_t count = ::read(input_.descriptor, buffer_.data() + end_, buffer_.size() - end_);
    if (count >= 0) {
      end_ += static_cast<std::size_t>(count);
      bytes_read_ += static_cast<std::uint64_t>(count);
      end_of_input_ = count == 0;
      if (in_long_line_) pass_over_long_line();
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

bool LineReader::next(std::string_view& line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (in_long_line_ && read_more()) {
  }
  while (true) {
    const char* start = buffer_.data() + begin_;
    std::size_t size = end_ - begin_;
    const auto* newline = static_cast<const char*>(std::memchr(start + scanned_, '\n', size - scanned_));
    if (newline != nullptr) {
      size = static_cast<std::size_t>(newline - start);
      begin_ += size + 1;
    } else {
      scanned_ = size;
      if (read_more()) continue;
      if (size == 0) return false;
      start = buffer_.data() + begin_;  // the last line, without a newline
      begin_ = end_;
    }
    scanned_ = 0;
    line = {start, size};
    if (++line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (trim(line).empty()) continue;
    line = without_blanks(line);
    return true;
  }
}

bool LineReader::has_whole_line() const {
  // Blank lines are no answer: a row begins at the first thing that is not blank.
  const std::string_view rest = std::string_view(buffer_.data(), end_).substr(begin_);
  const std::size_t first = rest.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && rest.find('\n', first) != std::string_view::npos;
}

}  // namespace cmanp::tables
