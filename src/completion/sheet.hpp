// A sheet that shows a completion: given pixels, mean, uncertainty with its scale, truth; below, the samples.
#pragma once

#include <cstddef>
#include <vector>

#include "completion/complete.hpp"
#include "completion/labels.hpp"
#include "completion/puzzle.hpp"
#include "images/image.hpp"

namespace cmanp::completion {

constexpr Colour kMissing{52, 84, 168};  // on the panel of given pixels

// Where everything is, known before anything is computed.
struct SheetLayout {
  struct Place {
    std::size_t top = 0, left = 0;
  };

  // Throws Error where the sheet would be larger than a picture may be.
  SheetLayout(std::size_t height, std::size_t width, std::size_t samples, bool with_truth);

  std::size_t magnified = 1;  // every pixel becomes a square of this side
  std::size_t panel_height = 0, panel_width = 0;
  std::size_t sheet_height = 0, sheet_width = 0;
  Place given, mean, deviation, truth;  // of a panel's first pixel, inside its border; no truth: nothing is there
  std::vector<Place> samples;
};

// Of 3 channels.
images::Image make_sheet(const SheetLayout& layout, const Puzzle& puzzle, const Completion& completion);

// From 0 to 1, dark blue to yellow, evenly to the eye: Matplotlib's viridis.
Colour viridis(double value);

}  // namespace cmanp::completion
