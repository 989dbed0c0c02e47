#include "data/gz_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <utility>

namespace cmanp::data {

GzFile::GzFile(std::filesystem::path path) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) fail("no such file");
  if (!std::filesystem::is_regular_file(path_)) fail("is no regular file");  // a pipe could make it wait
  errno = 0;
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) fail(errno != 0 ? std::strerror(errno) : "not enough memory");
  gzbuffer(file_, 1 << 17);
}

GzFile::~GzFile() { gzclose(file_); }

void GzFile::fail(const std::string& why) const { throw Error(fmt::format("{}: {}", path_.string(), why)); }

std::size_t GzFile::read(std::span<std::uint8_t> to) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // gzread counts in int
  const int count = gzread(file_, to.data(), static_cast<unsigned>(std::min(to.size(), kMost)));
  int code = Z_OK;
  const char* message = gzerror(file_, &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    fail(code == Z_BUF_ERROR ? "is cut short" : fmt::format("is damaged: {}", message));
  }
  return static_cast<std::size_t>(count);
}

}  // namespace cmanp::data
