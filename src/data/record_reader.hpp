// Records of a delimited text file, field by field and in place: CSV as RFC 4180 has it, with any one delimiter. Quoted
// fields may hold delimiters, doubled quotes and line ends. CRLF, CR alone, a UTF-8 byte-order mark, blank lines and a
// missing final newline are fine, as are remarks behind # and titles above the names of the columns. The file may be
// gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/gz_file.hpp"

namespace cmanp::data {

class RecordReader {
 public:
  // A record of more bytes than this is refused: a file that is no table has no line ends.
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  // Without a delimiter, the one that the first record has most of: comma, tab, semicolon or bar; without any of these,
  // blanks, as many as there are, where the line behind it has as many fields by them.
  explicit RecordReader(const std::filesystem::path& path, char delimiter = '\0');

  // The next record that is not blank, or false at the end. The fields, without blanks and quotes around them, stay
  // valid until the next call.
  bool next(std::vector<std::string_view>& fields);

  char delimiter() const { return delimiter_; }
  std::uint64_t line() const { return line_; }             // where the last record began, 1-based
  std::uint64_t bytes() const { return taken_ + begin_; }  // up to the last record's end
  std::string where() const;                               // "file:line"
  std::string_view next_line() const;                      // behind the last record, as far as it has been read
  [[noreturn]] void fail(const std::string& what) const;

 private:
  bool find_record(char*& begin, char*& end, bool& quoted);
  bool fill();
  bool is_comment(const char* begin, const char* end) const;
  bool is_title(const char* begin, const char* end) const;
  void find_delimiter(const char* begin, const char* end);
  void split_at_blanks(const char* begin, const char* end, std::vector<std::string_view>& fields) const;
  void split_plain(char* begin, char* end, std::vector<std::string_view>& fields) const;
  void split_quoted(char* begin, char* end, std::vector<std::string_view>& fields) const;

  std::string name_;
  GzFile file_;
  char delimiter_;
  char line_end_ = '\n';
  std::ptrdiff_t width_ = 0;  // delimiters in the header
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is read and not yet given out
  std::uint64_t taken_ = 0;          // bytes that have left the buffer
  bool at_end_ = false;
  std::uint64_t line_ = 0, next_line_ = 1;
};

}  // namespace cmanp::data
