// A file mapped read-only into memory, unmapped at the end of its life.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace cmanp::files {

class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::filesystem::path& path);  // throws Error
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  // Tells the system that the pages of this part, all read by now, may leave memory.
  void release(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace cmanp::files
