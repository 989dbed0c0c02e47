// Other programs, run to their end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cmanp::files {

// Runs a program of PATH in a folder, with nothing on its standard input. Throws Error where it is not installed, with
// `hint`, and where it fails, with the end of what it said.
void run_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const std::string& hint);

}  // namespace cmanp::files
