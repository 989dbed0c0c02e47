#include "images/datasets/idx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmanp/error.hpp>
#include <span>

#include "data/gz_file.hpp"

namespace cmanp::images {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 20;  // grows by what is there, not by what a header says

std::uint32_t read_number(data::GzFile& input) {
  std::array<std::uint8_t, 4> bytes{};
  if (input.read(bytes) != bytes.size()) input.fail("is no IDX file: it ends within its header");
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::vector<std::size_t> read_header(data::GzFile& input) {
  const std::uint32_t magic = read_number(input);
  const std::uint32_t type = magic >> 8, dimensions = magic & 0xFF;
  if (type != 0x08 || (dimensions != 1 && dimensions != 3)) {
    input.fail("is no IDX file of labels or grey pictures (it should begin with 00 00 08 01 or 00 00 08 03)");
  }
  std::vector<std::size_t> sizes;
  std::uint64_t total = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    sizes.push_back(read_number(input));
    if (sizes.back() == 0) input.fail("holds nothing: one of its sizes is 0");
    if (sizes.back() > kMostBytes / total) input.fail("its header claims more bytes than any such file has");
    total *= sizes.back();
  }
  return sizes;
}

}  // namespace

std::vector<std::size_t> read_idx_sizes(const fs::path& path) {
  data::GzFile input(path);
  return read_header(input);
}

IdxFile read_idx(const fs::path& path) {
  data::GzFile input(path);
  IdxFile file{read_header(input), {}};
  std::size_t total = 1;
  for (const std::size_t size : file.sizes) total *= size;
  while (file.bytes.size() < total) {
    const std::size_t before = file.bytes.size(), wanted = std::min(kPiece, total - before);
    file.bytes.resize(before + wanted);
    const std::size_t count = input.read(std::span(file.bytes).subspan(before));
    if (count < wanted) {
      input.fail(fmt::format("is cut short: it holds {} bytes of the {} that its header says", before + count, total));
    }
  }
  std::uint8_t more = 0;
  if (input.read({&more, 1}) != 0) input.fail("holds more bytes than its header says");
  return file;
}

}  // namespace cmanp::images
