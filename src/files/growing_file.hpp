// Room for what may be larger than memory: a file without a name, mapped, that grows. Its pages are written out when
// memory is short, and nothing is left of it, however the program ends.
#pragma once

#include <cstddef>
#include <filesystem>

namespace cmanp::files {

class GrowingFile {
 public:
  // In this folder. Throws Error where no file can be made there.
  explicit GrowingFile(const std::filesystem::path& folder);
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  // At least so large, with what is in it; it may move. Throws Error where the disk is full: never later, by a signal.
  void grow(std::size_t size);

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cmanp::files
