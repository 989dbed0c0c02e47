// A file read from its beginning to its end, gzipped or not: zlib takes one that is not compressed as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

struct gzFile_s;

namespace cmanp::data {

class GzFile {
 public:
  // Throws Error where it cannot be opened, or is no regular file.
  explicit GzFile(std::filesystem::path path);
  GzFile(const GzFile&) = delete;
  GzFile& operator=(const GzFile&) = delete;
  ~GzFile();

  // As many bytes as there are, at most all of `to`. Throws Error where the file is damaged or cut short.
  std::size_t read(std::span<std::uint8_t> to);

  // Throws Error that begins with the file's name.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::filesystem::path path_;
  gzFile_s* file_ = nullptr;
};

}  // namespace cmanp::data
