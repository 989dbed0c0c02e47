// Replaces a file in one step: write aside, fsync, rename. A failure at any point, a full disk included, leaves
// what was there before untouched and no file aside behind. Permissions stay what they were; a symbolic link stays,
// and what it points to is replaced. What a writer that was killed left aside is removed by a later one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace cmanp::files {

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  // throws Error, as all of it does
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(): removes the file aside

  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  void discard();

  std::filesystem::path path_;  // where symbolic links end
  std::filesystem::path aside_;
  int descriptor_ = -1;
};

// Replaces a file by these bytes.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace cmanp::files
