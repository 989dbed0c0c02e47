// The end of what a program said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cmanp::files {

// The last line of a file that has anything in it, of those that begin at byte `from` or later; "" where there is none.
std::string last_line(const std::filesystem::path& path, std::uintmax_t from = 0);

}  // namespace cmanp::files
