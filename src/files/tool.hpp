// Other programs, run to their end.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cmanp::files {

// Runs a program of PATH in a folder, with nothing on its standard input. Throws Error where it is not installed, with
// `hint`, and where it fails, with the end of what it said.
void run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const std::string& hint);

// Runs a program with `input` on its standard input and gives what comes on its standard output, up to `most` bytes.
// Throws as run_tool() does.
std::string run_filter(const std::vector<std::string>& arguments, std::string_view input, std::size_t most,
                       const std::string& hint);

}  // namespace cmanp::files
