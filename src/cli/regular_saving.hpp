// A stream's state on disk: saved every so often where it changed, while nothing comes in as well.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
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
  RegularSaving(const SavingOptions& options, std::function<void()> save);

  void changed() { unsaved_ = true; }
  void save_if_due();
  void save_if_changed();

  // Until there is input, or a signal.
  void wait_for_input(int descriptor);

 private:
  using Clock = std::chrono::steady_clock;

  std::function<void()> save_;
  bool keeps_;
  bool unsaved_ = false;
  Clock::duration every_;
  Clock::time_point next_;
};

}  // namespace cmanp::cli
