// Where files that come with the program are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cmanp::cli {

// For `what` ("models"): share/cmanp/models beside the program's folder and, of a program that was built and not
// installed, the repository's own.
std::vector<std::filesystem::path> installed_folders(const std::string& what);

}  // namespace cmanp::cli
