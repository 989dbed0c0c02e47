#include "cli/model_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "cli/installed_folders.hpp"
#include "files/quote.hpp"

namespace cmanp::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".cmanp";

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  const char* own = std::getenv("CMANP_MODELS");
  std::istringstream named(own == nullptr ? "" : own);
  for (std::string folder; std::getline(named, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  const std::vector<fs::path> installed = installed_folders("models");
  folders.insert(folders.end(), installed.begin(), installed.end());
  return folders;
}

}  // namespace

std::vector<std::string> installed_models() {
  std::vector<std::string> names;
  for (const fs::path& folder : model_folders()) {
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
      if (entry->path().extension() == kEnding) names.push_back(entry->path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string find_model(const std::string& name) {
  std::error_code ignored;
  // A folder that is no run hides no model that is called like it.
  const bool other_folder = fs::is_directory(name, ignored) && !fs::exists(fs::path(name) / "settings.json", ignored);
  const bool is_path = name.empty() || name.find('/') != std::string::npos;
  if (is_path || (fs::exists(name, ignored) && !other_folder)) return name;
  for (const fs::path& folder : model_folders()) {
    for (const fs::path& file : {folder / (name + kEnding), folder / name}) {
      if (fs::is_regular_file(file, ignored)) return file.string();
    }
  }
  if (other_folder) return name;  // who opens it says what is missing
  const std::vector<std::string> known = installed_models();
  const std::string there = known.empty() ? "none is installed" : fmt::format("there are {}", fmt::join(known, ", "));
  throw Error(fmt::format("{}: no such file, and no model of that name is installed; {}", files::quote(name), there));
}

CLI::Validator model_by_name() {
  return CLI::Validator(
      [](std::string& name) {
        name = find_model(name);
        return std::string();
      },
      "");
}

}  // namespace cmanp::cli
