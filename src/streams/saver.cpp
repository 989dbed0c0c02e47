#include "streams/saver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <utility>

namespace cmanp::streams {

Saver::Saver(const SavingOptions& options, Hooks hooks)
    : path_(options.path),
      hooks_(std::move(hooks)),
      every_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.every))),
      saved_(hooks_.taken_in()),
      next_(hooks_.now() + every_) {}

void Saver::save() {
  hooks_.save();
  saved_ = hooks_.taken_in();
  next_ = hooks_.now() + every_;
  if (std::exchange(failing_, false)) hooks_.warn(fmt::format("{} could be saved again", path_.string()));
}

std::optional<Saver::Clock::time_point> Saver::due() const { return is_new() ? std::optional(next_) : std::nullopt; }

void Saver::save_if_due() {
  if (!is_new() || hooks_.now() < next_) return;
  if (before_every_answer()) return save();
  try {
    save();
  } catch (const Error& error) {
    next_ = hooks_.now() + std::max<Clock::duration>(every_, std::chrono::seconds(1));
    if (!std::exchange(failing_, true)) {
      hooks_.warn(fmt::format("{}; going on without, and trying again every so often", error.what()));
    }
  }
}

void Saver::before_answers() {
  if (before_every_answer()) save_if_new();
}

void Saver::save_if_new() {
  if (is_new()) save();
}

void Saver::save_at_the_end() {
  if (is_new() || (!path_.empty() && !std::filesystem::exists(path_))) save();
}

}  // namespace cmanp::streams
