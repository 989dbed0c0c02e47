#include "files/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmanp/error.hpp>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "files/follow_links.hpp"

namespace cmanp::files {
namespace {

namespace fs = std::filesystem;

struct Descriptor {
  int number = -1;

  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

int open_lock_file(const fs::path& path) {
  // Not through a link that somebody planted, and never waiting for what is no file.
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0666);
  // One that another user left can be locked all the same, though not written.
  if (descriptor < 0 && errno == EACCES) descriptor = ::open(path.c_str(), O_RDONLY | kFlags);
  if (descriptor < 0)
    throw Error(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)), ErrorKind::system);
  return descriptor;
}

// Whether the open file is still the one of that name: its last holder may have removed it while we waited.
bool is_current(int descriptor, const fs::path& path) {
  struct stat open_file {};
  struct stat named_file {};
  return ::fstat(descriptor, &open_file) == 0 && ::lstat(path.c_str(), &named_file) == 0 &&
         open_file.st_ino == named_file.st_ino && open_file.st_dev == named_file.st_dev;
}

// Who wrote its number; 0 where nobody did who lives.
pid_t holder_of(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  pid_t holder = 0;
  const char* const end = text.data() + std::max<ssize_t>(count, 0);
  const auto [stop, error] = std::from_chars(text.data(), end, holder);
  if (error != std::errc() || stop != end || holder <= 0) return 0;
  return ::kill(holder, 0) == 0 || errno == EPERM ? holder : 0;
}

// Only for messages: a disk that is full for it is not full of anything that matters.
void write_own_number(int descriptor) {
  const std::string own = std::to_string(::getpid());
  if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, own.data(), own.size(), 0) < 0) return;
}

// True where it is ours, or where there are no locks here.
bool try_lock(int descriptor, int how) {
  while (::flock(descriptor, how) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return true;
  }
  return true;
}

}  // namespace

FileLock::FileLock(fs::path lock_file, AtTheEnd at_the_end, const OnHeld& on_held)
    : lock_file_(std::move(lock_file)), at_the_end_(at_the_end) {
  bool told = false;
  for (int looks_for_holder = 0;;) {
    Descriptor file(open_lock_file(lock_file_));
    if (!try_lock(file.number, LOCK_EX | LOCK_NB)) {
      const pid_t holder = holder_of(file.number);
      if (holder == 0 && !told && looks_for_holder++ < 100) {  // it is about to write its number, or about to end
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      if (!std::exchange(told, true)) on_held(holder);
      try_lock(file.number, LOCK_EX);
    }
    if (!is_current(file.number, lock_file_)) continue;
    descriptor_ = std::exchange(file.number, -1);
    break;
  }
  write_own_number(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept
    : lock_file_(std::move(other.lock_file_)),
      at_the_end_(other.at_the_end_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  // While it is still locked: who opened it meanwhile sees that it is not the one of that name.
  if (at_the_end_ == AtTheEnd::remove_lock_file && is_current(descriptor_, lock_file_)) ::unlink(lock_file_.c_str());
  ::close(descriptor_);
}

std::string holder_name(pid_t holder) { return holder > 0 ? fmt::format("process {}", holder) : "another process"; }

FileLock lock_for_update(const fs::path& path, const FileLock::OnHeld& on_held) {
  const fs::path file = follow_links(path);
  constexpr std::size_t kLongestName = 255;
  constexpr std::string_view kEnd = ".lock";
  // Files that share so long a beginning share their lock, which does no harm.
  const std::string begin = file.filename().string().substr(0, kLongestName - 1 - kEnd.size());
  const FileLock::OnHeld refuse = [&](pid_t holder) {
    throw Error(fmt::format("{}: {} is at work on it", path.string(), holder_name(holder)), ErrorKind::system);
  };
  return {file.parent_path() / fmt::format(".{}{}", begin, kEnd), FileLock::AtTheEnd::remove_lock_file,
          on_held ? on_held : refuse};
}

}  // namespace cmanp::files
