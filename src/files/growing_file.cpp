#include "files/growing_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstdlib>
#include <cstring>
#include <string>

namespace cmanp::files {
namespace {

constexpr std::size_t kLeast = std::size_t{1} << 20, kMostAtOnce = std::size_t{1} << 28;

[[noreturn]] void refuse(const std::filesystem::path& folder, const char* what, int error) {
  throw Error(fmt::format("{}: cannot {} a file aside: {}", folder.string(), what, std::strerror(error)),
              ErrorKind::system);
}

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& folder) : folder_(folder.empty() ? "." : folder) {
  std::string name = (folder_ / ".cmanp-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) refuse(folder_, "make", errno);
  ::unlink(name.c_str());
}

GrowingFile::~GrowingFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
  ::close(descriptor_);
}

void GrowingFile::grow(std::size_t size) {
  if (size <= size_) return;
  const std::size_t wanted = std::max({size, kLeast, size_ + std::min(size_, kMostAtOnce)});
  // Blocks are set aside now: a page that finds the disk full when it is written would end the program.
  if (const int error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(wanted)); error != 0) {
    refuse(folder_, "enlarge", error);
  }
  void* const moved = data_ == nullptr ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0)
                                       : ::mremap(data_, size_, wanted, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) refuse(folder_, "map", errno);
  data_ = static_cast<std::byte*>(moved);
  size_ = wanted;
}

}  // namespace cmanp::files
