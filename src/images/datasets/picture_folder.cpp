#include "images/datasets/picture_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmanp/error.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "base/lower.hpp"
#include "files/checksum.hpp"
#include "files/quote.hpp"
#include "images/picture_file.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

struct Entry {
  fs::path path;
  std::uint16_t label = kNoLabel;
  Split split = Split::train;
};

class PictureSource : public Source {
 public:
  PictureSource(std::string kind, std::vector<fs::path> lists, std::vector<Entry> entries)
      : kind_(std::move(kind)), lists_(std::move(lists)), entries_(std::move(entries)) {}

  std::string kind() const override { return kind_; }
  std::size_t channels() const override { return 3; }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> all = lists_;
    for (const Entry& entry : entries_) all.push_back(entry.path);
    return all;
  }

  std::size_t size() const override { return entries_.size(); }

  Example read(std::size_t index) const override {
    const Entry& entry = entries_[index];
    return {read_picture(entry.path), entry.label, entry.split};
  }

 private:
  std::string kind_;
  std::vector<fs::path> lists_;
  std::vector<Entry> entries_;
};

// Those of other formats as well: that they are left out is to be seen.
bool is_picture(const fs::path& path) {
  static const std::set<std::string> kExtensions{".jpg",  ".jpeg", ".png", ".webp", ".heic", ".heif",
                                                 ".avif", ".jxl",  ".gif", ".bmp",  ".tif",  ".tiff"};
  return kExtensions.contains(base::lower(path.extension().string()));
}

// In an order that depends on the seed and the names only, the first ones are for testing: at least one, and not all.
void draw_split(std::vector<Entry>& entries, const fs::path& folder, const DataOptions& options) {
  if (entries.size() < 2) return;
  std::map<std::string, Entry*> order;
  for (Entry& entry : entries) {
    files::Checksum sum;
    sum.add(fmt::format("{} {}", options.split_seed, entry.path.lexically_relative(folder).string()));
    order[sum.text()] = &entry;
  }
  const auto wanted = std::lround(options.test_share * static_cast<double>(entries.size()));
  std::size_t count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, entries.size() - 1);
  for (const auto& [key, entry] : order) {
    if (count-- == 0) break;
    entry->split = Split::test;
  }
}

// Classes are the folders right below, in the order of their names.
void label_by_folder(std::vector<Entry>& entries, const fs::path& folder) {
  const auto first = [&](const Entry& entry) {
    const fs::path relative = entry.path.lexically_relative(folder);
    return relative.has_parent_path() ? relative.begin()->string() : std::string();
  };
  std::set<std::string> names;
  for (const Entry& entry : entries) names.insert(first(entry));
  names.erase("");
  for (Entry& entry : entries) {
    const auto found = names.find(first(entry));
    if (found == names.end()) continue;
    const auto number = std::distance(names.begin(), found);
    if (number >= kNoLabel) throw Error(fmt::format("{}: has more than {} classes", folder.string(), kNoLabel));
    entry.label = static_cast<std::uint16_t>(number);
  }
}

Entry parse_partition(const std::string& line, const fs::path& pictures, const std::string& where) {
  std::istringstream words(line);
  std::string name;
  int number = -1;
  if (!(words >> name >> number) || number < 0 || number > 2) {
    throw Error(fmt::format("{}: {} is not the name of a picture and 0 (train), 1 (validation) or 2 (test)", where,
                            files::quote(line)));
  }
  if (fs::path(name).has_parent_path()) {
    throw Error(fmt::format("{}: {} names a picture in another folder", where, files::quote(line)));
  }
  return {pictures / name, kNoLabel, static_cast<Split>(number)};
}

}  // namespace

std::unique_ptr<Source> open_celeba(const fs::path& folder) {
  const fs::path list = folder / kCelebaPartition, pictures = folder / "img_align_celeba";
  std::error_code ignored;
  if (!fs::is_directory(pictures, ignored)) {
    throw Error(fmt::format("{}: has {} but no folder img_align_celeba", folder.string(), kCelebaPartition));
  }
  std::ifstream stream(list);
  if (!stream) throw Error(fmt::format("{}: {}", list.string(), std::generic_category().message(errno)));
  std::vector<Entry> entries;
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    entries.push_back(parse_partition(line, pictures, fmt::format("{}:{}", list.string(), number)));
  }
  if (entries.empty()) throw Error(fmt::format("{}: names no pictures", list.string()));
  return std::make_unique<PictureSource>("celeba", std::vector{list}, std::move(entries));
}

std::unique_ptr<Source> open_picture_folder(const fs::path& folder, const DataOptions& options) {
  std::vector<Entry> entries;
  std::error_code error;
  fs::recursive_directory_iterator walk(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (walk->path().filename().string().starts_with('.')) {
      walk.disable_recursion_pending();
    } else if (is_picture(walk->path()) && walk->is_regular_file(error)) {
      entries.push_back({walk->path()});
    }
  }
  if (error) throw Error(fmt::format("{}: {}", folder.string(), error.message()));
  if (entries.empty()) throw Error(fmt::format("{}: holds no pictures (.jpg, .jpeg, .png)", folder.string()));
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  label_by_folder(entries, folder);
  draw_split(entries, folder, options);
  return std::make_unique<PictureSource>("folder", std::vector<fs::path>{}, std::move(entries));
}

}  // namespace cmanp::images
