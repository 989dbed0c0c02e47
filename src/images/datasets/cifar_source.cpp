#include "images/datasets/cifar_source.hpp"

#include <fmt/format.h>

#include <array>
#include <cmanp/error.hpp>
#include <nlohmann/json.hpp>

#include "files/atomic_file.hpp"
#include "files/json.hpp"
#include "files/mapped_file.hpp"
#include "images/picture_file.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSide = 32, kPlane = kSide * kSide, kRecord = 1 + 3 * kPlane;
constexpr std::size_t kClasses = 10;
constexpr std::array kTraining{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"};
constexpr const char* kTest = "test_batch";

struct Part {
  fs::path path;
  Split split;
  files::MappedFile file = {};

  std::size_t records() const { return file.bytes().size() / kRecord; }
};

class CifarSource : public Source {
 public:
  explicit CifarSource(std::vector<Part> parts) : parts_(std::move(parts)) {}

  std::string kind() const override { return "cifar10"; }
  std::size_t side() const override { return kSide; }
  std::size_t channels() const override { return 3; }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> all;
    for (const Part& part : parts_) all.push_back(part.path);
    return all;
  }

  void load() override {
    for (Part& part : parts_) {
      part.file = files::MappedFile(part.path);
      const std::size_t size = part.file.bytes().size();
      if (size == 0 || size % kRecord != 0) {
        throw Error(fmt::format("{}: its {} bytes are not records of {}: cut short, or another format",
                                part.path.string(), size, kRecord));
      }
    }
  }

  std::size_t size() const override {
    std::size_t all = 0;
    for (const Part& part : parts_) all += part.records();
    return all;
  }

  Example read(std::size_t index) const override {
    const Part* part = parts_.data();
    for (; index >= part->records(); ++part) index -= part->records();
    const std::span<const std::byte> record = part->file.bytes().subspan(index * kRecord, kRecord);
    const auto label = std::to_integer<std::uint16_t>(record[0]);
    if (label >= kClasses) {
      throw Error(fmt::format("{}: picture {} has class {} of {}", part->path.string(), index, label, kClasses));
    }
    Example example{make_image(kSide, kSide, 3), label, part->split};
    for (std::size_t i = 0; i < kPlane; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        example.image.pixels[3 * i + c] = std::to_integer<std::uint8_t>(record[1 + c * kPlane + i]);
      }
    }
    part->file.check_unchanged();
    return example;
  }

 private:
  std::vector<Part> parts_;
};

std::vector<std::uint8_t> read_labels(const fs::path& path) {
  const auto document = files::read_json(path);
  std::vector<std::uint8_t> labels;
  const auto valid = [](const nlohmann::ordered_json& label) { return label.is_number_unsigned() && label < kClasses; };
  for (const auto& label : document.is_array() ? document : nlohmann::ordered_json::array({nullptr})) {
    if (!valid(label)) throw Error(fmt::format("{}: is no JSON list of classes", path.string()));
    labels.push_back(label.get<std::uint8_t>());
  }
  return labels;
}

// One sheet of pictures, with its part of the labels from `first` on; gives the number of pictures.
std::size_t convert_sheet(const fs::path& from, const fs::path& to, std::span<const std::uint8_t> labels) {
  const Image sheet = read_picture(from);
  if (sheet.width != kPlane || sheet.channels != 3 || sheet.height > labels.size()) {
    throw Error(fmt::format("{}: is no sheet of {} colours a row with a label for each row", from.string(), kPlane));
  }
  files::AtomicFile file(to);
  std::vector<std::byte> record(kRecord);
  for (std::size_t row = 0; row < sheet.height; ++row) {
    record[0] = std::byte{labels[row]};
    for (std::size_t i = 0; i < kPlane; ++i) {
      for (std::size_t c = 0; c < 3; ++c)
        record[1 + c * kPlane + i] = std::byte{sheet.pixels[3 * (row * kPlane + i) + c]};
    }
    file.write(record);
  }
  file.commit();
  return sheet.height;
}

}  // namespace

std::unique_ptr<Source> find_cifar(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& place : {folder, folder / "cifar-10-batches-bin"}) {
    std::vector<Part> parts;
    for (const char* name : kTraining) {
      const fs::path path = place / fmt::format("{}.bin", name);
      if (fs::exists(path, ignored)) parts.push_back({path, Split::train});
    }
    if (parts.empty()) continue;
    parts.push_back({place / fmt::format("{}.bin", kTest), Split::test});
    return std::make_unique<CifarSource>(std::move(parts));
  }
  return nullptr;
}

void convert_cifar_package(const fs::path& package, const fs::path& folder) {
  // The package spells them so.
  const std::vector<std::uint8_t> train = read_labels(package / "train_lables.json");
  const std::vector<std::uint8_t> test = read_labels(package / "test_lables.json");
  std::span<const std::uint8_t> rest = train;
  for (const char* name : kTraining) {
    rest =
        rest.subspan(convert_sheet(package / fmt::format("{}.png", name), folder / fmt::format("{}.bin", name), rest));
  }
  convert_sheet(package / fmt::format("{}.png", kTest), folder / fmt::format("{}.bin", kTest), test);
}

}  // namespace cmanp::images
