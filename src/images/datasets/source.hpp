// A set of pictures on disk, in any of the layouts that are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "images/image.hpp"

namespace cmanp::images {

enum class Split : std::uint8_t { train = 0, validation = 1, test = 2 };

constexpr std::uint16_t kNoLabel = 0xFFFF;

struct Example {
  Image image;
  std::uint16_t label = kNoLabel;
  Split split = Split::train;
};

// What is asked of pictures; what is 0 is as the data have it.
struct DataOptions {
  std::size_t resolution = 0;  // pixels a side
  std::size_t channels = 0;    // 1: grey, 3: colour
  bool transpose = false;      // the official EMNIST files lie on their side
  double test_share = 0.1;     // of a folder of pictures, which has no split of its own
  std::uint64_t split_seed = 0;
  std::filesystem::path cache = {};  // the folder for packs of pictures; empty: the user's own
};

class Source {
 public:
  virtual ~Source() = default;

  // What it is ("idx", "cifar10", "celeba", "folder") and how its pictures are: 0 where they differ.
  virtual std::string kind() const = 0;
  virtual std::size_t side() const { return 0; }
  virtual std::size_t channels() const = 0;

  // All that its pictures come from.
  virtual std::vector<std::filesystem::path> files() const = 0;

  // To be called before the two below: reads what has to be in memory.
  virtual void load() {}
  virtual std::size_t size() const = 0;
  // From any thread. Throws Error that names the picture where it is broken.
  virtual Example read(std::size_t index) const = 0;
};

// Knows the layout by what is in the folder; `path` may also be a folder and the beginning of the names of IDX files in
// it ("gzip/emnist-balanced"). Throws Error where there is nothing to read.
std::unique_ptr<Source> open_source(const std::filesystem::path& path, const DataOptions& options = {});

// Changes whenever a file of the source or an option does. Reads no file, only names, sizes and times.
std::string fingerprint(const Source& source, const DataOptions& options);

// `options` with what is 0 replaced by what the data have; 32 pixels a side where their sizes differ.
DataOptions resolved(const Source& source, DataOptions options);

}  // namespace cmanp::images
