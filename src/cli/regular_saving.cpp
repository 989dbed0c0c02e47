#include "cli/regular_saving.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>

#include "cli/stop_signal.hpp"

namespace cmanp::cli {

void add_saving(CLI::App* verb, SavingOptions& options, const std::string& whose) {
  CLI::Option* state = verb->add_option("--state,-s", options.path,
                                        fmt::format("Keep {} in this file: taken up if it is there, replaced every so "
                                                    "often and at the end, on SIGINT and SIGTERM too",
                                                    whose))
                           ->type_name("FILE");
  verb->add_option("--save-every", options.every, "Seconds between two savings of what changed")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->needs(state)
      ->type_name("SECONDS");
}

RegularSaving::RegularSaving(const SavingOptions& options, std::function<void()> save)
    : save_(std::move(save)),
      keeps_(!options.path.empty()),
      every_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.every))),
      next_(Clock::now() + every_) {}

void RegularSaving::save_if_due() {
  if (Clock::now() >= next_) save_if_changed();
}

void RegularSaving::save_if_changed() {
  if (!keeps_) return;
  if (unsaved_) save_();
  unsaved_ = false;
  next_ = Clock::now() + every_;
}

void RegularSaving::wait_for_input(int descriptor) {
  pollfd input{descriptor, POLLIN, 0};
  while (stop_signal() == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now()).count();
    const int timeout = keeps_ && unsaved_ ? static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)) : -1;
    if (poll(&input, 1, timeout) != 0) return;
    save_if_due();
  }
}

}  // namespace cmanp::cli
