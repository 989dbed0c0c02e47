#include "cli/stream_loop.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/exit.hpp"
#include "cli/messages.hpp"
#include "cli/rescue.hpp"
#include "cli/stop_signal.hpp"
#include "cli/unblocked_output.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::cli {
namespace {

using Clock = streams::Saver::Clock;

// From a signal on, so long: for answers to what was read before it, and for a reader to take them.
constexpr auto kGrace = std::chrono::milliseconds(500);
constexpr std::size_t kWriteAt = 1 << 16;

class StreamLoop {
 public:
  StreamLoop(streams::LineSession& session, Output& output) : session_(session), output_(output) {}

  void run() {
    end_input_on_signal(STDIN_FILENO);
    rescue([this] { read_all(); },
           [this] {  // with everything before what went wrong
             session_.settle();
             session_.saver().save_if_new();
             flush_quietly();
           });
    at_the_end_ = true;
    rescue([this] { session_.saver().save_at_the_end(); }, [this] { flush_quietly(); });
    flush();
    if (session_.bad_rows() > 0) note(fmt::format("{} bad rows skipped", session_.bad_rows()));
    if (stop_signal() != 0) throw Exit{128 + stop_signal()};
  }

 private:
  void read_all() {
    tables::LineReader lines(STDIN_FILENO, "standard input");
    std::string_view line;
    while (true) {
      try {
        if (!wait_for_line(lines) || !lines.next(line)) break;
      } catch (const tables::LineTooLong& error) {
        session_.refuse(error);
        continue;
      }
      if (is_time_to_leave()) session_.stop_answering();
      session_.take(line, lines.line());
      if (output_.size() >= kWriteAt) flush();
    }
    if (stop_signal() == 0) session_.end_of_lines();
    session_.settle();
  }

  // False where a signal ended the input: what is left of it may be cut short.
  bool wait_for_line(tables::LineReader& lines) {
    while (!lines.has_whole_line()) {
      if (stop_signal() != 0) return false;
      if (lines.at_end()) return true;
      session_.settle();  // the pipe is drained: nothing may wait for what comes next
      flush();
      wait_for_input();
      lines.read_more();
    }
    return true;
  }

  void wait_for_input() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (stop_signal() == 0 && poll(&input, 1, milliseconds_to_saving()) <= 0) session_.saver().save_if_due();
  }

  int milliseconds_to_saving() {
    const auto due = session_.saver().due();
    return due ? milliseconds_to(*due) : -1;
  }

  static int milliseconds_to(Clock::time_point time) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
  }

  // Whether a signal came, and so long ago that nothing may be waited for any more.
  bool is_time_to_leave() {
    if (stop_signal() == 0) return false;
    if (!leave_at_) leave_at_ = Clock::now() + kGrace;
    return Clock::now() >= *leave_at_;
  }

  // All that was answered goes out, as soon as the reader takes it. After a signal, what was taken in is saved first.
  void flush() {
    const std::string text = std::exchange(unwritten_, {}) + output_.take();
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t written = writer_.write(rest);
      rest.remove_prefix(written);
      if (written == 0 && !wait_for_reader()) break;
    }
    unwritten_ = rest;
  }

  // False where it is not to be waited for.
  bool wait_for_reader() {
    const bool leaving = is_time_to_leave();
    const bool stopped = stop_signal() != 0;
    if (leaving || (stopped && !at_the_end_)) return false;
    std::array<pollfd, 2> waiting{pollfd{writer_.descriptor(), POLLOUT, 0},
                                  pollfd{stopped ? -1 : stop_descriptor(), POLLIN, 0}};
    poll(waiting.data(), waiting.size(), stopped ? milliseconds_to(*leave_at_) : milliseconds_to_saving());
    session_.saver().save_if_due();
    return true;
  }

  // Where something worse is on its way already.
  void flush_quietly() {
    try {
      flush();
    } catch (const Exit&) {
    }
  }

  streams::LineSession& session_;
  Output& output_;
  UnblockedOutput writer_{STDOUT_FILENO};
  std::string unwritten_;
  bool at_the_end_ = false;
  std::optional<Clock::time_point> leave_at_;
};

}  // namespace

void run_session(streams::LineSession& session, Output& output) { StreamLoop(session, output).run(); }

}  // namespace cmanp::cli
