// IDX files, the format of MNIST and its kin: a header of sizes, then bytes; gzipped or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace cmanp::images {

struct IdxFile {
  std::vector<std::size_t> sizes;   // of pictures: count, height, width; of labels: count
  std::vector<std::uint8_t> bytes;  // as many as the product of sizes
};

// Throws Error that names the file: not IDX, not of bytes, sizes that cannot be, more or fewer bytes than it says.
IdxFile read_idx(const std::filesystem::path& path);

// The sizes alone.
std::vector<std::size_t> read_idx_sizes(const std::filesystem::path& path);

}  // namespace cmanp::images
