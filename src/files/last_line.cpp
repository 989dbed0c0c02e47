#include "files/last_line.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace cmanp::files {
namespace {

constexpr std::uintmax_t kMostBytes = 4096;  // of a line, and of what is empty after it

}  // namespace

std::string last_line(const std::filesystem::path& path, std::uintmax_t from) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (problem || size <= from) return {};
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(std::max(from, size - std::min(size, kMostBytes))));
  std::string last;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) last = std::move(line);
  }
  return last;
}

}  // namespace cmanp::files
