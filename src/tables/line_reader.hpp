// Lines of text, from a file or a pipe, in one fixed buffer. CRLF, a UTF-8 byte-order mark, blank lines and a missing
// final newline are fine.
#pragma once

#include <cmanp/error.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cmanp::tables {

// A line that does not fit into the buffer. Reading goes on behind it, however long it is.
class LineTooLong : public Error {
 public:
  using Error::Error;
};

class LineReader {
 public:
  // `path` "-" is standard input. Throws Error where it cannot be opened.
  explicit LineReader(const std::filesystem::path& path);
  // The same from an open descriptor, not closed at the end.
  LineReader(int descriptor, std::string name);

  // The next line that is not blank, without its end and the blanks around it (but for tabs in front, which are of
  // empty fields), or false at the end. It stays valid until the next call. Blocks only when the buffer holds no
  // complete line. Throws LineTooLong, or another Error where there is no going on.
  bool next(std::string_view& line);

  // Whether next() can answer without waiting for input.
  bool buffered() const { return end_of_input_ || has_whole_line(); }

  // The same in two: whether the buffer holds a line with its end, and whether the input has ended.
  bool has_whole_line() const;
  bool at_end() const { return end_of_input_; }

  // Reads once, so much as there is; false at the end. For who wants to do something else while a line comes in pieces.
  bool read_more();

  const std::string& name() const { return name_; }
  std::uint64_t line() const { return line_; }  // of the last one, 1-based
  std::uint64_t bytes_read() const { return bytes_read_; }

  // Throws Error that begins with name and line.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Input {
    int descriptor = -1;
    bool owned = false;

    Input(int open_descriptor, bool is_owned) : descriptor(open_descriptor), owned(is_owned) {}
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    ~Input();
  };

  void pass_over_long_line();
  void pass_over_blank_lines();

  Input input_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // what is read and not yet given out: buffer_[begin_, end_)
  std::size_t scanned_ = 0;  // so many bytes from begin_ on are known to hold no newline
  std::size_t end_ = 0;
  bool end_of_input_ = false;
  bool in_long_line_ = false;
  std::uint64_t line_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace cmanp::tables
