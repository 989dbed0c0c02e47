#include "files/leftovers.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ctime>
#include <mutex>
#include <set>
#include <string_view>

namespace cmanp::files {
namespace {

constexpr std::string_view kBegin = ".cmanp-";
constexpr std::time_t kOld = 3600;  // seconds: another machine's process may write here, and its number says nothing

// The process in such a name, or 0.
pid_t writer_of(const std::string& name) {
  if (!name.starts_with(kBegin)) return 0;
  const char* const end = name.data() + name.size();
  pid_t process = 0;
  unsigned count = 0;
  const auto number = std::from_chars(name.data() + kBegin.size(), end, process);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '-' || process <= 0) return 0;
  const auto last = std::from_chars(number.ptr + 1, end, count);
  if (last.ec != std::errc() || last.ptr != end || name != name_of_aside(process, count)) return 0;
  return process;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

bool is_old_file(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         status.st_mtime < std::time(nullptr) - kOld;
}

bool first_time(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> seen;
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(folder, ignored).lexically_normal();
  const std::lock_guard lock(mutex);
  return seen.insert(whole).second;
}

}  // namespace

std::string name_of_aside(pid_t process, unsigned count) { return fmt::format("{}{}-{}", kBegin, process, count); }

void remove_leftovers(const std::filesystem::path& folder) {
  if (!first_time(folder)) return;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const pid_t writer = writer_of(entry->path().filename().string());
    if (writer > 0 && is_gone(writer) && is_old_file(entry->path())) ::unlink(entry->path().c_str());
  }
}

}  // namespace cmanp::files
