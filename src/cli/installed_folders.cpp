#include "cli/installed_folders.hpp"

#include <system_error>

namespace cmanp::cli {

std::vector<std::filesystem::path> installed_folders(const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return {};
  const fs::path prefix = program.parent_path().parent_path();
  std::vector<fs::path> folders{prefix / "share" / "cmanp" / what};
  if (fs::exists(prefix / "CMakeCache.txt", unknown)) folders.push_back(prefix.parent_path() / what);
  return folders;
}

}  // namespace cmanp::cli
