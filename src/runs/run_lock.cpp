#include "runs/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmanp/error.hpp>
#include <string>
#include <system_error>

namespace cmanp::runs {
namespace {

// " (process 123)", or nothing where the holder has not written its number.
std::string holder(int descriptor) {
  std::array<char, 16> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
  const std::string digits(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  const bool number = !digits.empty() &&
                      std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return number ? fmt::format(" (process {})", digits) : std::string();
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make folder {}: {}", folder.string(), error.message()));
  const std::filesystem::path path = folder / "lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error(fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(errno)));
  }
  // A file system without locks is no reason not to train.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const std::string who = holder(descriptor_);
    ::close(descriptor_);
    throw Error(fmt::format("{}: another run{} is at work in this folder; wait for its end or choose another folder",
                            folder.string(), who));
  }
  // Only for messages: a disk that is full for it is not full of anything that matters.
  const std::string own = std::to_string(::getpid());
  if (::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, own.data(), own.size(), 0) < 0) return;
}

RunLock::~RunLock() { ::close(descriptor_); }

}  // namespace cmanp::runs
