// One run at a time in a folder. The lock is the kernel's: it ends with the process, however that ends.
#pragma once

#include <filesystem>

#include "files/file_lock.hpp"

namespace cmanp::runs {

class RunLock {
 public:
  // Makes the folder where there is none. Throws Error that names it, and the process where it is known, if another one
  // holds the lock.
  explicit RunLock(const std::filesystem::path& folder);

 private:
  files::FileLock lock_;
};

}  // namespace cmanp::runs
