// Bytes as a file that is in memory only, for readers that take a descriptor or a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace cmanp::testing {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  void assign(const std::uint8_t* bytes, std::size_t size) {
    if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, bytes, size, 0) != static_cast<ssize_t>(size)) {
      std::abort();
    }
  }

  int rewound() const {
    ::lseek(descriptor_, 0, SEEK_SET);
    return descriptor_;
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace cmanp::testing
