#include "files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <string_view>
#include <utility>

namespace cmanp::files {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view why) {
  throw Error(fmt::format("{}: {}", path.string(), why), ErrorKind::system);
}

[[noreturn]] void changed(const std::filesystem::path& path) { refuse(path, "changed while it was read; try again"); }

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(path, fmt::format("cannot read: {}", std::strerror(errno)));
  return status;
}

bool same(const std::timespec& left, const std::timespec& right) {
  return left.tv_sec == right.tv_sec && left.tv_nsec == right.tv_nsec;
}

std::size_t size_of(const struct stat& status, const std::filesystem::path& path) {
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file");
  if (!std::in_range<std::size_t>(status.st_size)) refuse(path, "is too large");
  return static_cast<std::size_t>(status.st_size);
}

void read_whole(int descriptor, std::byte* to, std::size_t size, const std::filesystem::path& path) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::pread(descriptor, to + done, size - done, static_cast<off_t>(done));
    if (count == 0) changed(path);  // cut
    if (count < 0 && errno != EINTR) refuse(path, fmt::format("cannot read: {}", std::strerror(errno)));
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, std::size_t in_memory) : path_(path) {
  // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) refuse(path, fmt::format("cannot open: {}", std::strerror(errno)));
  MappedFile closing(std::move(*this));  // closes and unmaps where something is thrown
  const struct stat status = status_of(closing.descriptor_, path);
  const std::size_t size = size_of(status, path);
  closing.written_ = status.st_mtim;
  const bool large = size > in_memory;
  if (size > 0) {  // there is no mapping of no bytes
    void* address = ::mmap(nullptr, size, large ? PROT_READ : PROT_READ | PROT_WRITE,
                           large ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, large ? closing.descriptor_ : -1, 0);
    if (address == MAP_FAILED) refuse(path, fmt::format("cannot map: {}", std::strerror(errno)));
    closing.bytes_ = {static_cast<const std::byte*>(address), size};
    if (large) {
      closing.guard_ = BusGuard(closing.bytes_);
    } else {
      read_whole(closing.descriptor_, static_cast<std::byte*>(address), size, path);
    }
  }
  closing.check_unchanged();
  if (!large) ::close(std::exchange(closing.descriptor_, -1));
  *this = std::move(closing);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(other.path_),
      bytes_(std::exchange(other.bytes_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      written_(other.written_),
      guard_(std::move(other.guard_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_, other.written_);
  std::swap(guard_, other.guard_);
  return *this;
}

MappedFile::~MappedFile() {
  guard_ = BusGuard();  // before its pages go
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MappedFile::check_unchanged() const {
  if (descriptor_ < 0) return;
  const struct stat status = status_of(descriptor_, path_);
  if (guard_.hit() || !std::cmp_equal(status.st_size, bytes_.size()) || !same(status.st_mtim, written_)) changed(path_);
}

}  // namespace cmanp::files
