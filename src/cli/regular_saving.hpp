// A stream's state on disk: saved every so often where it has grown, while nothing comes in as well.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace cmanp::cli {

struct SavingOptions {
  std::string path;   // none: nothing is saved
  double every = 60;  // seconds
};

// --state and --save-every; `whose` names what is kept.
void add_saving(CLI::App* verb, SavingOptions& options, const std::string& whose);

class RegularSaving {
 public:
  // `taken_in` counts what the state has seen: where it is as at the last saving, there is nothing to save.
  RegularSaving(const SavingOptions& options, std::function<std::uint64_t()> taken_in, std::function<void()> save);

  void save_if_due();
  void save_if_new();
  void save_at_the_end();  // the state of a stream that took in nothing as well, where there is no file yet

  // Until there is input, or a signal.
  void wait_for_input(int descriptor);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_new() const { return !options_.path.empty() && taken_in_() != saved_; }
  void save();

  const SavingOptions& options_;
  std::function<std::uint64_t()> taken_in_;
  std::function<void()> save_;
  std::uint64_t saved_;
  Clock::duration every_;
  Clock::time_point next_;
};

}  // namespace cmanp::cli
