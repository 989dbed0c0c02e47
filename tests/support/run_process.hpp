// Runs a program from a test: with arguments and input, to its end, or alive and talked to line by line.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace cmanp::testing {

struct ProcessResult {
  int exit_code = -1;  // -1 where a signal ended it
  int signal = 0;
  std::string out, err;
};

struct ProcessOptions {
  std::string input = {};
  std::string stdout_path = {};               // where not empty, standard output goes there, and `out` stays empty
  std::size_t file_size_limit = 0;            // where not 0, files may not grow beyond: a disk that is full
  bool close_output = false;                  // nobody reads its standard output
  std::vector<std::string> environment = {};  // "NAME=value", beside this process's own
};

// For tests that have in memory what a program is made of: called in the process of one that is started with the
// test's own environment. It may do the program's work and end the process; what returns becomes the program.
inline void (*run_instead)(const std::vector<std::string>& arguments) = nullptr;

class Process {
 public:
  // arguments[0] is the program.
  explicit Process(const std::vector<std::string>& arguments, const ProcessOptions& options = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills it if it still runs

  void write(const std::string& text);
  void close_input();

  // The next line of its standard output, without the newline; throws std::runtime_error if none comes in time.
  std::string read_line(std::chrono::milliseconds patience = std::chrono::seconds(20));

  // Until its standard error has this text; throws std::runtime_error as read_line() does.
  void await_error(const std::string& text);

  // Writes what is answered by more than a pipe holds, and reads none of it: returns when the pipe fills.
  void write_and_stall(const std::string& text);

  // Until it has read all that was written to it.
  void await_input_read();

  // Until it handles the signal itself.
  void await_handler(int signal);

  void kill(int signal);
  pid_t id() const { return pid_; }

  // Closes its input, reads all output and waits for the end.
  ProcessResult wait();
  // The same for one that must end by itself, its input still open.
  ProcessResult wait_with_open_input();
  // The same, but without reading any more of its standard output.
  ProcessResult wait_unread();

 private:
  void await(const std::string& what, const std::function<bool()>& condition);
  bool pump(int timeout_ms, std::string& unwritten);  // moves bytes; false when both outputs ended

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  ProcessResult result_;
};

ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

}  // namespace cmanp::testing
