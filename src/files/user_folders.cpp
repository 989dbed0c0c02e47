#include "files/user_folders.hpp"

#include <cstdlib>
#include <string>

namespace cmanp::files {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::filesystem::path user_folder(const char* variable, const char* below_home) {
  if (const std::string folder = environment(variable); !folder.empty()) return std::filesystem::path(folder) / "cmanp";
  if (const std::string home = environment("HOME"); !home.empty()) {
    return std::filesystem::path(home) / below_home / "cmanp";
  }
  return {};
}

}  // namespace

std::filesystem::path user_cache_folder() { return user_folder("XDG_CACHE_HOME", ".cache"); }

std::filesystem::path user_data_folder() { return user_folder("XDG_DATA_HOME", ".local/share"); }

}  // namespace cmanp::files
