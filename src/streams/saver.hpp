// A stream's state on disk: saved every so often where it has grown. A saving that fails is tried again later, and told
// of once; what counts is that the last one succeeds.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "files/file_lock.hpp"

namespace cmanp::streams {

struct SavingOptions {
  std::filesystem::path path;  // none: nothing is saved
  double every = 60;           // seconds; 0: everything is saved before it is answered, or not answered at all
  files::FileLock::OnHeld on_held = {};  // where another process is at work on the file; without it, an Error
};

class Saver {
 public:
  using Clock = std::chrono::steady_clock;

  struct Hooks {
    std::function<std::uint64_t()> taken_in;  // where it is as at the last saving, there is nothing to save
    std::function<void()> save;
    std::function<void(const std::string&)> warn;
    std::function<Clock::time_point()> now = [] { return Clock::now(); };
  };

  Saver(const SavingOptions& options, Hooks hooks);

  // When save_if_due() is to be called next; nothing where there is nothing to save.
  std::optional<Clock::time_point> due() const;

  // Throws only where everything is to be saved before it is answered.
  void save_if_due();

  // Whether all is to be saved before it is answered, and only then.
  bool before_every_answer() const { return every_ == Clock::duration::zero(); }
  void before_answers();  // does that, and throws Error where it fails

  void save_if_new();      // throws Error where that fails
  void save_at_the_end();  // the state of a stream that took in nothing as well, where there is no file yet

 private:
  bool is_new() const { return !path_.empty() && hooks_.taken_in() != saved_; }
  void save();

  std::filesystem::path path_;
  Hooks hooks_;
  Clock::duration every_;
  std::uint64_t saved_;
  Clock::time_point next_;
  bool failing_ = false;
};

}  // namespace cmanp::streams
