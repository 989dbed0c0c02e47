// A progress bar on stderr: only where that is a terminal, only for what takes over two seconds, gone when done.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace cmanp::cli {

class ProgressBar {
 public:
  // `total` is in the units of `update`'s `done`; 0 if unknown. `unit` names what is counted: "points", "draws";
  // nothing is counted where it is empty.
  ProgressBar(std::string what, std::uint64_t total, std::string unit);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  static bool can_be_shown();  // who has to compute something for one asks before
  bool is_shown() const { return terminal_; }

  // May be called from any thread, as often as one likes.
  // `remark` ends the line.
  void update(std::uint64_t done, std::uint64_t count, std::string_view remark = {});

  void clear();  // for a line of something else; the next update draws it again

 private:
  using Clock = std::chrono::steady_clock;

  void draw(double seconds, std::uint64_t done, std::uint64_t count, std::string_view remark);

  std::string what_;
  std::uint64_t total_;
  std::string unit_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_;
  std::mutex mutex_;
};

}  // namespace cmanp::cli
