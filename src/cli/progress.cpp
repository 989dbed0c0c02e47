#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "cli/messages.hpp"

namespace cmanp::cli {

namespace {

constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kBetweenDraws = std::chrono::milliseconds(200);
constexpr std::size_t kBarWidth = 30;

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// Of standard error's; very wide where it does not say.
std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

}  // namespace

ProgressBar::ProgressBar(std::string what, std::uint64_t total, std::string unit)
    : what_(std::move(what)),
      total_(total),
      unit_(std::move(unit)),
      terminal_(can_be_shown()),
      next_draw_(start_ + kPatience) {}

ProgressBar::~ProgressBar() { clear(); }

bool ProgressBar::can_be_shown() { return isatty(STDERR_FILENO) == 1; }

void ProgressBar::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) say("\r\033[K");
  drawn_ = false;
}

void ProgressBar::update(std::uint64_t done, std::uint64_t count, std::string_view remark) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kBetweenDraws;
  draw(std::chrono::duration<double>(now - start_).count(), done, count, remark);
  drawn_ = true;
}

void ProgressBar::draw(double seconds, std::uint64_t done, std::uint64_t count, std::string_view remark) {
  const double rate = static_cast<double>(count) / seconds;
  std::string line = what_;
  if (total_ > 0) {
    const double fraction = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto full = static_cast<std::size_t>(fraction * static_cast<double>(kBarWidth));
    line += fmt::format(" [{:#<{}}{:.<{}}] {:3.0f} %", "", full, "", kBarWidth - full, 100 * fraction);
    if (fraction > 0) line += fmt::format(", {} left", clock_time(seconds * (1 - fraction) / fraction));
  }
  if (!unit_.empty()) {
    const std::string speed = rate < 10 ? fmt::format("{:.2f}", rate) : fmt::format("{:.0f}", rate);
    line += fmt::format(", {} {}, {} {}/s", count, unit_, speed, unit_);
  }
  line += remark;
  if (const std::size_t width = terminal_width(); line.size() >= width) line.resize(width - 1);  // or it would wrap
  say(fmt::format("\r{}\033[K", line));
}

}  // namespace cmanp::cli
