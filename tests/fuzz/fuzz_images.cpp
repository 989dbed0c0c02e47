// Any bytes are either refused with an Error or give an IDX file, or packed pictures, whose every byte can be read.
#include <cmanp/error.hpp>
#include <cstdint>
#include <cstdlib>

#include "images/datasets/idx.hpp"
#include "images/packed_images.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cmanp;
  static testing::MemoryFile file;
  file.assign(bytes, size);
  volatile unsigned sum = 0;
  try {
    const images::IdxFile idx = images::read_idx(file.path());
    std::size_t total = 1;
    for (const std::size_t count : idx.sizes) total *= count;
    if (idx.bytes.size() != total) std::abort();
  } catch (const Error&) {
  }
  try {
    const images::PackedImages packed(file.path());
    for (std::size_t i = 0; i < packed.header().count; ++i) {
      sum = sum + packed.label(i) + static_cast<unsigned>(packed.split(i));
      for (const std::uint8_t pixel : packed.pixels(i)) sum = sum + pixel;
    }
  } catch (const Error&) {
  }
  return 0;
}
