// The public way to complete a picture: pixels in, pixels out.
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/completion.hpp>
#include <cmanp/error.hpp>
#include <utility>

#include "completion/complete.hpp"

namespace cmanp {
namespace {

void check(const Picture& picture, std::span<const std::uint8_t> given) {
  const auto refuse = [](const std::string& message) { throw Error(message, ErrorKind::argument); };
  const std::size_t height = picture.height, width = picture.width;
  if (height == 0 || width == 0 || height > images::kMostPixels / width) {
    refuse(fmt::format("a picture of {}x{} pixels; it may have up to {} million", width, height,
                       images::kMostPixels >> 20));
  }
  if (picture.channels != 1 && picture.channels != 3) {
    refuse(fmt::format("a picture has 1 or 3 channels, not {}", picture.channels));
  }
  if (picture.pixels.size() != height * width * picture.channels) {
    refuse(fmt::format("a picture of {}x{} pixels and {} channels holds {} numbers where {} belong", width, height,
                       picture.channels, picture.pixels.size(), height * width * picture.channels));
  }
  if (given.size() != height * width) {
    refuse(fmt::format("given holds {} numbers where a picture of {}x{} pixels has {}", given.size(), width, height,
                       height * width));
  }
}

Picture picture_of(images::Image image) { return {image.height, image.width, image.channels, std::move(image.pixels)}; }

}  // namespace

CompletedPicture complete(const Model& model, const Picture& picture, std::span<const std::uint8_t> given,
                          const CompletionOptions& options, const std::function<void(std::size_t)>& progress) {
  completion::check_is_for_pictures(model.config(), "model");
  check(picture, given);
  completion::Puzzle puzzle;
  puzzle.seen = {picture.height, picture.width, picture.channels, picture.pixels, {}};
  for (const std::uint8_t one : given) puzzle.given.push_back(one != 0 ? 1 : 0);
  puzzle.truth = puzzle.seen;
  puzzle.known = puzzle.given;  // of what is missing, nothing: there is nothing to compare with
  completion::Completion done = completion::complete(model, puzzle,
                                                     {.side = options.tile,
                                                      .samples = options.samples,
                                                      .block = options.block,
                                                      .seed = options.seed,
                                                      .threads = options.threads,
                                                      .grain = options.grain},
                                                     progress);
  CompletedPicture result{picture_of(std::move(done.mean)), std::move(done.deviation), {}};
  for (images::Image& sample : done.samples) result.samples.push_back(picture_of(std::move(sample)));
  return result;
}

}  // namespace cmanp
