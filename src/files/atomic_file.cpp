#include "files/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "files/follow_links.hpp"
#include "files/leftovers.hpp"

namespace cmanp::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view why) {
  throw Error(fmt::format("cannot write {}: {}", path.string(), why), ErrorKind::system);
}

[[noreturn]] void fail(const fs::path& path, int error) { fail(path, std::strerror(error)); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// In the same folder, so that a rename suffices; short, as the name that it stands in for may be as long as can be.
fs::path name_aside(const fs::path& path) {
  static std::atomic<unsigned> count = 0;
  return folder_of(path) / name_of_aside(::getpid(), count++);
}

// Opens a fresh file beside `path`; its name is left in `aside`.
int open_aside(const fs::path& path, fs::path& aside, mode_t mode) {
  while (true) {
    aside = name_aside(path);
    const int descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST && errno != EINTR) fail(path, errno);  // EEXIST: left by a killed process of the same number
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(follow_links(path)) {
  remove_leftovers(folder_of(path_));
  struct stat old {};
  const bool replaces = ::stat(path_.c_str(), &old) == 0;
  if (!replaces) {
    if (errno != ENOENT) fail(path_, errno);
    descriptor_ = open_aside(path_, aside_, 0644);
    return;
  }
  if (S_ISDIR(old.st_mode)) fail(path_, EISDIR);
  if (!S_ISREG(old.st_mode)) fail(path_, "not a regular file");  // a rename would do away with a device
  if (::access(path_.c_str(), W_OK) != 0) fail(path_, errno);    // a rename would not ask
  descriptor_ = open_aside(path_, aside_, 0600);
  // Only root may give files away; to others the file is theirs, as any new one.
  const bool same_owner = ::fchown(descriptor_, old.st_uid, old.st_gid) == 0;
  if (::fchmod(descriptor_, old.st_mode & (same_owner ? 07777 : 0777)) != 0) {
    const int error = errno;
    discard();
    fail(path_, error);
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!aside_.empty()) ::unlink(std::exchange(aside_, fs::path()).c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(path_, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail(path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, errno);
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  aside_.clear();

  // The new name must be on disk as well. Some file systems cannot sync a folder: they need not.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder may be writable without being readable
  const int error = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  if (error != 0 && error != EINVAL && error != EROFS) fail(path_, error);
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

}  // namespace cmanp::files
