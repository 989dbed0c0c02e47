#include "images/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <numeric>
#include <string_view>

#include "base/random.hpp"
#include "files/quote.hpp"
#include "images/pixel_points.hpp"

namespace cmanp::images {
namespace {

struct Size {
  std::size_t height, width;
};

// A mask out of a rule for (row, column).
template <typename Rule>
Mask mask_where(Size size, Rule&& given) {
  Mask mask(size.height * size.width);
  for (std::size_t row = 0; row < size.height; ++row) {
    for (std::size_t column = 0; column < size.width; ++column) mask[row * size.width + column] = given(row, column);
  }
  return mask;
}

Mask random_pixels(Size size, double share, std::uint64_t seed) {
  const std::size_t all = size.height * size.width;
  const auto count = static_cast<std::size_t>(std::lround(share * static_cast<double>(all)));
  std::vector<std::uint32_t> indices(all);
  std::iota(indices.begin(), indices.end(), 0U);
  base::Random random(seed);
  draw_to_front(indices, count, [&](std::size_t n) { return random.below(n); });
  Mask mask(all);
  for (std::size_t i = 0; i < count; ++i) mask[indices[i]] = 1;
  return mask;
}

Mask around_hole(Size size, double share) {
  const auto side =
      static_cast<std::size_t>(std::lround(share * static_cast<double>(std::min(size.height, size.width))));
  const std::size_t top = (size.height - side) / 2, left = (size.width - side) / 2;
  return mask_where(size, [=](std::size_t row, std::size_t column) {
    return row < top || row >= top + side || column < left || column >= left + side;
  });
}

// The number behind the colon.
double number_of(const std::string& pattern, double least, double most) {
  const std::string_view text = std::string_view(pattern).substr(pattern.find(':') + 1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= least && number <= most)) {
    throw Error(
        fmt::format("pattern {}: behind the colon stands a number from {} to {}", files::quote(pattern), least, most));
  }
  return number;
}

Mask parse(const std::string& pattern, Size size, std::uint64_t seed) {
  const auto [height, width] = size;
  if (pattern == "top") return mask_where(size, [h = height](std::size_t row, std::size_t) { return 2 * row < h; });
  if (pattern == "bottom") return mask_where(size, [h = height](std::size_t row, std::size_t) { return 2 * row >= h; });
  if (pattern == "left") return mask_where(size, [w = width](std::size_t, std::size_t col) { return 2 * col < w; });
  if (pattern == "right") return mask_where(size, [w = width](std::size_t, std::size_t col) { return 2 * col >= w; });
  if (pattern.starts_with("random:")) return random_pixels(size, number_of(pattern, 0, 1), seed);
  if (pattern.starts_with("hole:")) return around_hole(size, number_of(pattern, 0, 1));
  if (pattern.starts_with("rows:")) {
    const auto step = static_cast<std::size_t>(number_of(pattern, 1, 1e6));
    return mask_where(size, [=](std::size_t row, std::size_t) { return row % step == 0; });
  }
  throw Error(fmt::format("pattern {} is unknown; there are random:SHARE, top, bottom, left, right, hole:SHARE, rows:K",
                          files::quote(pattern)));
}

}  // namespace

Mask make_pattern(const std::string& pattern, std::size_t height, std::size_t width, std::uint64_t seed) {
  Mask mask = parse(pattern, {height, width}, seed);
  if (std::find(mask.begin(), mask.end(), 1) == mask.end()) {
    throw Error(fmt::format("pattern {} gives no pixel of {}x{}", files::quote(pattern), width, height));
  }
  return mask;
}

Mask mask_of_picture(const Image& mask, std::size_t height, std::size_t width, const std::string& name) {
  if (mask.height != height || mask.width != width) {
    throw Error(fmt::format("{}: a mask of {}x{} pixels does not fit a picture of {}x{}", name, mask.width, mask.height,
                            width, height));
  }
  const Image grey = with_channels(mask, 1);
  Mask result(grey.size());
  std::transform(grey.pixels.begin(), grey.pixels.end(), result.begin(),
                 [](std::uint8_t value) { return value > 127; });
  return result;
}

Mask mask_of_alpha(const Image& image) {
  Mask result(image.size(), 1);
  std::transform(image.alpha.begin(), image.alpha.end(), result.begin(), [](std::uint8_t a) { return a > 127; });
  return result;
}

}  // namespace cmanp::images
