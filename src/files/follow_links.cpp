#include "files/follow_links.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmanp/error.hpp>
#include <cstring>
#include <system_error>

namespace cmanp::files {

namespace fs = std::filesystem;

fs::path follow_links(const fs::path& path) {
  constexpr int kMost = 40;  // as many as the system follows
  fs::path target = path;
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, ignored)); ++links) {
    if (links == kMost)
      throw Error(fmt::format("cannot write {}: {}", path.string(), std::strerror(ELOOP)), ErrorKind::system);
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target;
}

}  // namespace cmanp::files
