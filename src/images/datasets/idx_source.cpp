#include "images/datasets/idx_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <string_view>

#include "images/datasets/idx.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPictures = "images-idx3-ubyte", kLabels = "labels-idx1-ubyte";

// Pictures and labels of one split.
struct IdxPart {
  fs::path pictures, labels;
  Split split = Split::train;
  IdxFile picture_file = {}, label_file = {};
};

class IdxSource : public Source {
 public:
  IdxSource(std::vector<IdxPart> parts, bool transpose) : parts_(std::move(parts)), transpose_(transpose) {
    for (const IdxPart& part : parts_) {
      const std::vector<std::size_t> sizes = read_idx_sizes(part.pictures);
      if (sizes.size() != 3) throw Error(fmt::format("{}: holds labels, not pictures", part.pictures.string()));
      const std::size_t side = sizes[1] == sizes[2] ? sizes[1] : 0;
      if (&part == parts_.data()) side_ = side;
      if (side != side_) side_ = 0;
    }
  }

  std::string kind() const override { return "idx"; }
  std::size_t side() const override { return side_; }
  std::size_t channels() const override { return 1; }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> all;
    for (const IdxPart& part : parts_) all.insert(all.end(), {part.pictures, part.labels});
    return all;
  }

  void load() override {
    for (IdxPart& part : parts_) {
      part.picture_file = read_idx(part.pictures);
      part.label_file = read_idx(part.labels);
      if (part.picture_file.sizes.size() != 3) {
        throw Error(fmt::format("{}: holds labels, not pictures", part.pictures.string()));
      }
      if (part.label_file.sizes.size() != 1) {
        throw Error(fmt::format("{}: holds pictures, not labels", part.labels.string()));
      }
      if (part.picture_file.sizes[0] != part.label_file.sizes[0]) {
        throw Error(fmt::format("{}: has {} labels for {} pictures", part.labels.string(), part.label_file.sizes[0],
                                part.picture_file.sizes[0]));
      }
    }
  }

  std::size_t size() const override {
    std::size_t all = 0;
    for (const IdxPart& part : parts_) all += part.label_file.bytes.size();
    return all;
  }

  Example read(std::size_t index) const override {
    const IdxPart* part = parts_.data();
    for (; index >= part->label_file.bytes.size(); ++part) index -= part->label_file.bytes.size();
    Image image = make_image(part->picture_file.sizes[1], part->picture_file.sizes[2], 1);
    const auto begin = part->picture_file.bytes.begin() + static_cast<std::ptrdiff_t>(index * image.size());
    std::copy_n(begin, image.size(), image.pixels.begin());
    return {transpose_ ? transposed(image) : std::move(image), part->label_file.bytes[index], part->split};
  }

 private:
  std::vector<IdxPart> parts_;
  bool transpose_;
  std::size_t side_ = 0;
};

bool is_pictures(std::string_view name) {
  return name.ends_with(kPictures) || (name.ends_with(".gz") && name.substr(0, name.size() - 3).ends_with(kPictures));
}

// The only file of pictures of a split: "train", or "test" also known as "t10k".
fs::path only_one(const std::vector<fs::path>& all, const fs::path& folder, std::string_view word,
                  std::string_view other) {
  std::vector<fs::path> found;
  for (const fs::path& path : all) {
    const std::string name = path.filename().string();
    const std::string_view before(name.data(), name.find(kPictures));
    if (before.ends_with(fmt::format("{}-", word)) || before.ends_with(fmt::format("{}-", other)))
      found.push_back(path);
  }
  if (found.empty()) throw Error(fmt::format("{}: has IDX pictures but none for {}", folder.string(), word));
  if (found.size() == 1) return found.front();
  throw Error(fmt::format(
      "{}: has several sets of IDX pictures ({}, {}, …); name one by how its files begin, such as {}", folder.string(),
      found[0].filename().string(), found[1].filename().string(), (folder / "emnist-balanced").string()));
}

// The labels that belong to pictures: named alike, gzipped or not.
fs::path labels_of(const fs::path& pictures) {
  std::string name = pictures.filename().string();
  name.replace(name.find(kPictures), kPictures.size(), kLabels);
  const bool gzipped = name.ends_with(".gz");
  const std::string other = gzipped ? name.substr(0, name.size() - 3) : name + ".gz";
  for (const std::string& candidate : {name, other}) {
    if (fs::exists(pictures.parent_path() / candidate)) return pictures.parent_path() / candidate;
  }
  throw Error(fmt::format("{}: its labels, {}, are not beside it", pictures.string(), name));
}

}  // namespace

std::unique_ptr<Source> find_idx(const fs::path& folder, const std::string& prefix, const DataOptions& options) {
  std::vector<fs::path> pictures;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && is_pictures(name)) pictures.push_back(entry.path());
  }
  if (pictures.empty()) return nullptr;
  std::sort(pictures.begin(), pictures.end());
  const fs::path train = only_one(pictures, folder, "train", "train"),
                 test = only_one(pictures, folder, "test", "t10k");
  std::vector<IdxPart> parts{{train, labels_of(train), Split::train}, {test, labels_of(test), Split::test}};
  return std::make_unique<IdxSource>(std::move(parts), options.transpose);
}

}  // namespace cmanp::images
