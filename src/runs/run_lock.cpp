#include "runs/run_lock.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <string>
#include <system_error>

namespace cmanp::runs {
namespace {

std::filesystem::path made(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make folder {}: {}", folder.string(), error.message()));
  return folder;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& folder)
    : lock_(made(folder) / "lock", files::FileLock::AtTheEnd::keep_lock_file, [&](pid_t holder) {
        throw Error(
            fmt::format("{}: another run{} is at work in this folder; wait for its end or choose another folder",
                        folder.string(), holder > 0 ? fmt::format(" (process {})", holder) : std::string()));
      }) {}

}  // namespace cmanp::runs
