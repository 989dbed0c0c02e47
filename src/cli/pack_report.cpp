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
  events.kept = [this](const std::filesystem::path& file) { kept_ = file; };
  return events;
}

void PackReport::finish() {
  bar_.reset();
  if (!kept_.empty()) {
    note(fmt::format("the packed pictures, {:.1f} MB, are kept in {}", 1e-6 * static_cast<double>(file_size(kept_)),
                     kept_.string()));
  }
  if (left_out_ > kNamed) note(fmt::format("left out {} pictures in all", left_out_));
}

}  // namespace cmanp::cli
