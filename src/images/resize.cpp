#include "images/resize.hpp"

#include <algorithm>
#include <cmath>

namespace cmanp::images {
namespace {

constexpr int kPrecision = 22;  // fractional bits of a weight: 32 less 8 of a pixel and 2 for overshoot

double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// The pixels that one pixel of the result is a weighted sum of.
struct Window {
  std::size_t first = 0;
  std::vector<int> weights;
};

std::vector<Window> windows(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), stretch = std::max(1.0, scale);
  const double support = 2 * stretch, narrow = 1 / stretch;
  std::vector<Window> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<std::size_t>(std::max(0.0, centre - support + 0.5));
    const std::size_t end = std::min(from, static_cast<std::size_t>(centre + support + 0.5));
    std::vector<double> values;
    double sum = 0;
    for (std::size_t k = first; k < end; ++k) {
      values.push_back(cubic((static_cast<double>(k) - centre + 0.5) * narrow));
      sum += values.back();
    }
    all[i].first = first;
    const double share = 1 / sum;
    for (const double value : values) {
      all[i].weights.push_back(static_cast<int>(std::lround(value * share * (1 << kPrecision))));
    }
  }
  return all;
}

std::uint8_t rounded(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>((sum + (1 << (kPrecision - 1))) >> kPrecision, 0, 255));
}

// Along one dimension of samples [before][from][after]; gives [before][to][after].
std::vector<std::uint8_t> resize_along(const std::vector<std::uint8_t>& samples, std::size_t before, std::size_t from,
                                       std::size_t to, std::size_t after) {
  if (from == to) return samples;
  const std::vector<Window> all = windows(from, to);
  std::vector<std::uint8_t> result(before * to * after);
  for (std::size_t b = 0; b < before; ++b) {
    for (std::size_t i = 0; i < to; ++i) {
      for (std::size_t a = 0; a < after; ++a) {
        std::int64_t sum = 0;
        const std::uint8_t* sample = &samples[(b * from + all[i].first) * after + a];
        for (const int weight : all[i].weights) {
          sum += std::int64_t{weight} * *sample;
          sample += after;
        }
        result[(b * to + i) * after + a] = rounded(sum);
      }
    }
  }
  return result;
}

std::vector<std::uint8_t> resize_samples(const std::vector<std::uint8_t>& samples, const Image& image,
                                         std::size_t channels, std::size_t height, std::size_t width) {
  const std::vector<std::uint8_t> across = resize_along(samples, image.height, image.width, width, channels);
  return resize_along(across, 1, image.height, height, width * channels);
}

// Each pixel times (or, backwards, divided by) its alpha.
void weigh(Image& image, bool backwards) {
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const unsigned alpha = image.alpha[i / image.channels], value = image.pixels[i];
    const unsigned result = !backwards   ? (value * alpha + 127) / 255
                            : alpha == 0 ? 0
                                         : (value * 255 + alpha / 2) / alpha;
    image.pixels[i] = static_cast<std::uint8_t>(std::min(255U, result));
  }
}

}  // namespace

Image resize(const Image& image, std::size_t height, std::size_t width) {
  if (image.height == height && image.width == width) return image;
  Image result = make_image(height, width, image.channels);
  if (image.alpha.empty()) {
    result.pixels = resize_samples(image.pixels, image, image.channels, height, width);
    return result;
  }
  Image weighed = image;
  weigh(weighed, false);
  result.pixels = resize_samples(weighed.pixels, image, image.channels, height, width);
  result.alpha = resize_samples(image.alpha, image, 1, height, width);
  weigh(result, true);
  return result;
}

}  // namespace cmanp::images
