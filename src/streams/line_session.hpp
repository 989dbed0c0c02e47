// A conversation by lines of text: the first names the columns, each other one is taken in or asks something. What is
// wrong with a line is blamed on it by number; it ends the session, or is passed over where that is asked for. Reads
// and writes nothing but its state: lines come from the caller, answers go to the caller.
#pragma once

#include <cmanp/error.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "streams/saver.hpp"
#include "tables/csv_columns.hpp"

namespace cmanp::streams {

struct SessionOptions {
  std::string source = "standard input";  // begins what is said about a line
  SavingOptions saving = {};
  tables::Reading reading = {};  // of points: their columns
  bool ahead = false;            // points are asked for before they are observed, and answered with their y
  bool unusual = false;          // and, ahead, with how far out of the ordinary it is
  bool skip_bad = false;         // a bad line is warned of and passed over
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

class LineSession {
 public:
  LineSession(const LineSession&) = delete;
  LineSession& operator=(const LineSession&) = delete;
  virtual ~LineSession() = default;

  // Takes the next line, which may wait for others to be dealt with together. Throws Error, with source and number,
  // where it is bad and bad lines are not passed over.
  void take(std::string_view line, std::uint64_t number);

  // Deals with a line that could not be read, as take() does with a bad one.
  void refuse(const Error& error);

  // Nothing more is at hand: all that was taken in is observed, and all that was asked is answered.
  void settle();

  // What is asked from now on is left unanswered. For who must leave.
  void stop_answering() { answering_ = false; }

  // No line comes any more. Throws Error where not even the first one came.
  void end_of_lines() const;

  Saver& saver() { return *saver_; }
  std::uint64_t bad_rows() const { return bad_rows_; }

 protected:
  explicit LineSession(SessionOptions options);

  // Before the state is read; from here on it is this session's alone.
  void lock_state();
  // When the state stands.
  void save_by(std::function<std::uint64_t()> taken_in, std::function<void()> save);

  virtual void take_header(std::string_view line, std::uint64_t number) = 0;
  virtual void take_row(std::string_view line, std::uint64_t number) = 0;
  virtual void settle_rows() = 0;
  [[noreturn]] virtual void fail_without_header() const = 0;

  bool answering() const { return answering_; }
  void on_bad_row(const Error& error);
  const SessionOptions& options() const { return options_; }

 private:
  SessionOptions options_;
  std::optional<files::FileLock> lock_;
  std::optional<Saver> saver_;
  bool has_header_ = false;
  bool answering_ = true;
  std::uint64_t bad_rows_ = 0;
};

}  // namespace cmanp::streams
