#include "files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmanp/error.hpp>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace cmanp::files {
namespace {

[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path.string(), why), ErrorKind::system);
}

std::span<const std::byte> map(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) cannot_read(path, fmt::format("cannot read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) cannot_read(path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) cannot_read(path, "is not a regular file");
  if (status.st_size == 0) return {};  // there is no mapping of no bytes
  if (!std::in_range<std::size_t>(status.st_size)) cannot_read(path, "is too large");

  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) cannot_read(path, fmt::format("cannot map: {}", std::strerror(errno)));
  return {static_cast<const std::byte*>(address), size};
}

void* address_of(std::span<const std::byte> bytes) {
  return const_cast<std::byte*>(bytes.data());  // system calls on mappings take no pointers to const
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) cannot_read(path, fmt::format("cannot open: {}", std::strerror(errno)));
  try {
    bytes_ = map(descriptor, path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);  // the mapping holds the file
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(address_of(bytes_), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> part) const {
  const std::less<const std::byte*> before;
  if (part.empty() || before(part.data(), bytes_.data()) ||
      before(bytes_.data() + bytes_.size(), part.data() + part.size())) {
    return;
  }
  // A page that is needed after all is read again, so that touching neighbours is harmless.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t offset = static_cast<std::size_t>(part.data() - bytes_.data()) / page * page;
  const auto end = static_cast<std::size_t>(part.data() + part.size() - bytes_.data());
  ::madvise(address_of(bytes_.subspan(offset)), end - offset, MADV_DONTNEED);
}

}  // namespace cmanp::files
