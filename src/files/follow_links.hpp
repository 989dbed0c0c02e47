// Where symbolic links end.
#pragma once

#include <filesystem>

namespace cmanp::files {

// The file that a chain of links ends at, be it there or not. Throws Error where it has no end.
std::filesystem::path follow_links(const std::filesystem::path& path);

}  // namespace cmanp::files
