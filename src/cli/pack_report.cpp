#include "cli/pack_report.hpp"

#include <fmt/format.h>

#include "cli/options.hpp"

namespace cmanp::cli {
namespace {

constexpr std::size_t kNamed = 10;

}  // namespace

images::PackEvents PackReport::events() {
  images::PackEvents events;
  events.progress = [this](std::size_t done, std::size_t all) {
    if (!bar_) bar_.emplace("packing", all, "pictures");
    bar_->update(done, done);
  };
  events.left_out = [this](const std::string& why) {
    if (++left_out_ <= kNamed) note(fmt::format("left out: {}", why));
  };
  return events;
}

void PackReport::finish() {
  bar_.reset();
  if (left_out_ > kNamed) note(fmt::format("left out {} broken pictures in all", left_out_));
}

}  // namespace cmanp::cli
