#include "cli/state_lock.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <utility>

#include "cli/options.hpp"

namespace cmanp::cli {

CLI::Option* add_wait(CLI::App* verb, bool& wait) {
  return verb->add_flag("--wait", wait, "Wait where another process is at work on the same file, instead of failing");
}

files::FileLock::OnHeld wait_or_refuse(std::string path, bool wait) {
  return [path = std::move(path), wait](pid_t holder) {
    const std::string who = files::holder_name(holder);
    if (!wait) throw Error(fmt::format("{}: {} is at work on it; --wait waits for its end", path, who));
    note(fmt::format("{}: waiting for {}, which is at work on it", path, who));
  };
}

}  // namespace cmanp::cli
