// A file's bytes, read-only: a small file is read into memory at once, a large one is mapped and read as it is used.
// Somebody may write to a file in place, or cut it, at any time: what is in memory stays as it was read, and of a large
// one check_unchanged() tells afterwards.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "files/bus_guard.hpp"

namespace cmanp::files {

inline constexpr std::size_t kLargestInMemory = std::size_t{64} << 20;

class MappedFile {
 public:
  MappedFile() = default;
  // Throws Error where it cannot be read, or changed while it was. Files of more bytes than `in_memory` are mapped.
  explicit MappedFile(const std::filesystem::path& path, std::size_t in_memory = kLargestInMemory);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  // Throws Error where a large file is not any more what it was when it was opened, so that bytes() cannot be trusted.
  void check_unchanged() const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  int descriptor_ = -1;  // of a large file
  std::timespec written_{};
  BusGuard guard_;
};

}  // namespace cmanp::files
