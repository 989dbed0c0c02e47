// One process at a time at work on a file, by agreement. The lock is the kernel's, on a lock file beside: it ends with
// the process, however that ends, and the next one takes over the lock file that a killed process left. The file
// itself could not be locked: saving replaces it by another.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

namespace cmanp::files {

class FileLock {
 public:
  // Called where another process holds the lock, with its number, or 0 where that is not known. Throws to give up;
  // where it returns, the constructor waits.
  using OnHeld = std::function<void(pid_t holder)>;

  enum class AtTheEnd { keep_lock_file, remove_lock_file };

  // Throws Error where the lock file cannot be written. A file system without locks is no reason not to work.
  FileLock(std::filesystem::path lock_file, AtTheEnd at_the_end, const OnHeld& on_held);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  std::filesystem::path lock_file_;
  AtTheEnd at_the_end_;
  int descriptor_ = -1;
};

// "process 123", or "another process" where it is not known.
std::string holder_name(pid_t holder);

// For who reads `path` and will replace it: held from before the reading until after the last writing, nothing of what
// others add is lost. Without `on_held`, throws Error where another process holds it.
FileLock lock_for_update(const std::filesystem::path& path, const FileLock::OnHeld& on_held = {});

}  // namespace cmanp::files
