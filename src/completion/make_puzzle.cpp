#include "completion/puzzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "files/quote.hpp"
#include "images/resize.hpp"

namespace cmanp::completion {
namespace {

using images::Image;
using images::Mask;

bool any(const Mask& mask) { return std::find(mask.begin(), mask.end(), 1) != mask.end(); }
bool all(const Mask& mask) { return std::find(mask.begin(), mask.end(), 0) == mask.end(); }

Image at_size(const Image& picture, std::size_t side) {
  return side == 0 ? picture : images::resize(picture, side, side);
}

// The picture with what a mask hides made transparent.
Image masked(Image picture, const Hiding& hiding) {
  const Mask mask = images::mask_of_picture(*hiding.mask, picture.height, picture.width, hiding.mask_name);
  if (!any(mask)) throw Error(fmt::format("{}: gives no pixel; what is light is given", hiding.mask_name));
  if (all(mask)) {
    throw Error(
        fmt::format("{}: gives every pixel, so that nothing is missing; what is dark is missing", hiding.mask_name));
  }
  if (picture.alpha.empty()) picture.alpha.assign(picture.size(), 255);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) picture.alpha[i] = 0;
  }
  return picture;
}

void check(const Puzzle& puzzle, const std::string& name, const Hiding& hiding, bool resized) {
  const std::string size = fmt::format("{}x{}", puzzle.width(), puzzle.height());
  if (!any(puzzle.given)) {
    if (!any(puzzle.known)) throw Error(fmt::format("{}: all is transparent, so that no pixel is given", name));
    throw Error(fmt::format("{}: no pixel of {} is given{}", name, size,
                            resized && hiding.mask
                                ? "; the mask has fine points, which vanish at this size: tiles keep the "
                                  "picture's own"
                                : ""));
  }
  if (!all(puzzle.given)) return;
  if (!hiding.pattern.empty()) {
    throw Error(fmt::format("pattern {} gives every pixel of {}, so that nothing is missing",
                            files::quote(hiding.pattern), size));
  }
  if (hiding.mask) throw Error(fmt::format("{}: nothing is missing any more at {}", hiding.mask_name, size));
  throw Error(fmt::format(
      "{}: has no transparent pixels, so that nothing is missing; hide some by a share, a pattern or a mask", name));
}

}  // namespace

Puzzle make_puzzle(const Image& picture, const std::string& name, const Hiding& hiding, std::size_t side) {
  Puzzle puzzle;
  puzzle.truth = at_size(picture, side);
  puzzle.known = images::mask_of_alpha(puzzle.truth);
  puzzle.seen = hiding.mask ? at_size(masked(picture, hiding), side) : puzzle.truth;
  puzzle.given = images::mask_of_alpha(puzzle.seen);
  if (!hiding.pattern.empty()) {
    const Mask kept = images::make_pattern(hiding.pattern, puzzle.height(), puzzle.width(), hiding.seed);
    for (std::size_t i = 0; i < kept.size(); ++i) puzzle.given[i] &= kept[i];
  }
  check(puzzle, name, hiding, side != 0);
  puzzle.seen.alpha.clear();
  puzzle.truth.alpha.clear();
  return puzzle;
}

}  // namespace cmanp::completion
