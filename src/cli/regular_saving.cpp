#include "cli/regular_saving.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

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

RegularSaving::RegularSaving(const SavingOptions& options, std::function<std::uint64_t()> taken_in,
                             std::function<void()> save)
    : options_(options),
      taken_in_(std::move(taken_in)),
      save_(std::move(save)),
      saved_(taken_in_()),
      every_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.every))),
      next_(Clock::now() + every_) {}

void RegularSaving::save() {
  save_();
  saved_ = taken_in_();
  next_ = Clock::now() + every_;
}

void RegularSaving::save_if_due() {
  if (is_new() && Clock::now() >= next_) save();
}

void RegularSaving::save_if_new() {
  if (is_new()) save();
}

void RegularSaving::save_at_the_end() {
  if (is_new() || (!options_.path.empty() && !std::filesystem::exists(options_.path))) save();
}

void RegularSaving::wait_for_input(int descriptor) {
  pollfd input{descriptor, POLLIN, 0};
  while (stop_signal() == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now()).count();
    const int timeout = is_new() ? static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)) : -1;
    if (poll(&input, 1, timeout) != 0) return;
    save_if_due();
  }
}

}  // namespace cmanp::cli
