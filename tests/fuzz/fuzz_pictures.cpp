// Any bytes are either refused with an Error or give a picture that is whole.
#include <cmanp/error.hpp>
#include <cstdint>
#include <cstdlib>

#include "images/picture_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cmanp::images;
  try {
    const Image image = decode_picture(std::as_bytes(std::span(bytes, size)), "fuzz", 1 << 20);
    if (image.pixels.size() != image.size() * image.channels) std::abort();
    if (!image.alpha.empty() && image.alpha.size() != image.size()) std::abort();
  } catch (const cmanp::Error&) {
  }
  return 0;
}
