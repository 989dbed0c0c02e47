#include "completion/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <string>

namespace cmanp::completion {
namespace {

using images::Image;
using Place = SheetLayout::Place;

constexpr std::size_t kPanelSide = 192;   // small pictures are magnified to about it
constexpr std::size_t kLeastCell = 144;   // room for the longest label
constexpr std::size_t kGap = 16;          // around panels with their labels
constexpr std::size_t kNear = 6;          // between a panel and its labels
constexpr std::size_t kScaleHeight = 10;  // of the bar of colours
constexpr std::size_t kFooter = 2 * kNear + kScaleHeight + kLabelHeight;
constexpr std::size_t kColumns = 5;

constexpr Colour kInk{48, 48, 48}, kBorder{150, 150, 150};

void fill(Image& canvas, Place at, std::size_t height, std::size_t width, Colour colour) {
  for (std::size_t row = at.top; row < at.top + height; ++row) {
    for (std::size_t column = at.left; column < at.left + width; ++column) {
      std::copy(colour.begin(), colour.end(), &canvas.pixels[(row * canvas.width + column) * 3]);
    }
  }
}

void draw_border(Image& canvas, Place at, std::size_t height, std::size_t width) {
  fill(canvas, {at.top - 1, at.left - 1}, height + 2, width + 2, kBorder);
}

Colour pixel_colour(const Image& image, std::size_t i) {
  const std::uint8_t* pixel = &image.pixels[i * image.channels];
  return image.channels == 3 ? Colour{pixel[0], pixel[1], pixel[2]} : Colour{pixel[0], pixel[0], pixel[0]};
}

class Sheet {
 public:
  Sheet(const SheetLayout& layout, std::size_t width)
      : layout_(layout), width_(width), canvas_(images::make_image(layout.sheet_height, layout.sheet_width, 3)) {
    std::fill(canvas_.pixels.begin(), canvas_.pixels.end(), std::uint8_t{255});
  }

  // `colour_of(pixel)` for every pixel of the picture.
  template <typename ColourOf>
  void panel(Place at, const std::string& title, std::size_t pixels, ColourOf&& colour_of) {
    const std::size_t m = layout_.magnified;
    write_label(canvas_, at.top - 1 - kNear - kLabelHeight, at.left, title, kInk);
    draw_border(canvas_, at, layout_.panel_height, layout_.panel_width);
    for (std::size_t i = 0; i < pixels; ++i) {
      fill(canvas_, {at.top + i / width_ * m, at.left + i % width_ * m}, m, m, colour_of(i));
    }
  }

  void below(Place panel, const std::string& text) {
    write_label(canvas_, panel.top + layout_.panel_height + 1 + kNear, panel.left, text, kInk);
  }

  // A bar of all colours under a panel, from 0 to `top`.
  void scale(Place panel, double top) {
    const Place bar{panel.top + layout_.panel_height + 1 + kNear, panel.left};
    const std::size_t width = std::max(layout_.panel_width, kLeastCell - 2);
    draw_border(canvas_, bar, kScaleHeight, width);
    for (std::size_t x = 0; x < width; ++x) {
      const double value = static_cast<double>(x) / static_cast<double>(width - 1);
      fill(canvas_, {bar.top, bar.left + x}, kScaleHeight, 1, viridis(value));
    }
    const std::size_t line = bar.top + kScaleHeight + kNear;
    const std::string most = fmt::format("{:.2g}", top);
    write_label(canvas_, line, bar.left, "0", kInk);
    write_label(canvas_, line, bar.left + width - std::min(width, label_width(most)), most, kInk);
  }

  Image result() && { return std::move(canvas_); }

 private:
  const SheetLayout& layout_;
  std::size_t width_;  // of the picture
  Image canvas_;
};

}  // namespace

SheetLayout::SheetLayout(std::size_t height, std::size_t width, std::size_t sample_count, bool with_truth) {
  const std::size_t longer = std::max(height, width);
  magnified = std::max<std::size_t>(1, (kPanelSide + longer / 2) / longer);
  panel_height = magnified * height;
  panel_width = magnified * width;
  const std::size_t cell_width = std::max(panel_width + 2, kLeastCell) + kGap;
  const std::size_t cell_height = panel_height + 2 + kLabelHeight + kNear + kGap;
  const std::size_t first = with_truth ? 4 : 3, rows = (sample_count + kColumns - 1) / kColumns;
  sheet_width = kGap + cell_width * std::max(first, std::min(sample_count, kColumns));
  sheet_height = kGap + cell_height + kFooter + rows * cell_height;
  if (sheet_height > images::kMostPixels / sheet_width) {
    throw Error(
        fmt::format("a sheet of {} samples of {}x{} pixels has more than {} million pixels; ask for fewer "
                    "samples, or for the completed picture alone",
                    sample_count, width, height, images::kMostPixels >> 20));
  }
  const auto place = [&](std::size_t row, std::size_t column) {
    return Place{kGap + row * cell_height + (row > 0 ? kFooter : 0) + kLabelHeight + kNear + 1,
                 kGap + column * cell_width + 1};
  };
  given = place(0, 0);
  mean = place(0, 1);
  deviation = place(0, 2);
  if (with_truth) truth = place(0, 3);
  for (std::size_t s = 0; s < sample_count; ++s) samples.push_back(place(1 + s / kColumns, s % kColumns));
}

Image make_sheet(const SheetLayout& layout, const Puzzle& puzzle, const Completion& completion) {
  const std::size_t pixels = puzzle.seen.size();
  const auto of = [](const Image& image) { return [&image](std::size_t i) { return pixel_colour(image, i); }; };
  const float largest = *std::max_element(completion.deviation.begin(), completion.deviation.end());
  const double top = largest > 0 ? static_cast<double>(largest) : 1;
  Sheet sheet(layout, puzzle.width());
  sheet.panel(layout.given, "given", pixels,
              [&](std::size_t i) { return puzzle.given[i] != 0 ? pixel_colour(puzzle.seen, i) : kMissing; });
  sheet.below(layout.given,
              fmt::format("{:.3g} %", 100 * static_cast<double>(completion.given) / static_cast<double>(pixels)));
  sheet.panel(layout.mean, "mean", pixels, of(completion.mean));
  if (completion.mean_squared_error) {
    sheet.below(layout.mean, fmt::format("rmse {:.3f}", std::sqrt(*completion.mean_squared_error)));
  }
  sheet.panel(layout.deviation, "uncertainty", pixels,
              [&](std::size_t i) { return viridis(static_cast<double>(completion.deviation[i]) / top); });
  sheet.scale(layout.deviation, top);
  if (layout.truth.top > 0) {
    sheet.panel(layout.truth, "truth", pixels,
                [&](std::size_t i) { return puzzle.known[i] != 0 ? pixel_colour(puzzle.truth, i) : kMissing; });
  }
  for (std::size_t s = 0; s < layout.samples.size(); ++s) {
    sheet.panel(layout.samples[s], fmt::format("sample {}", s + 1), pixels, of(completion.samples[s]));
  }
  return std::move(sheet).result();
}

Colour viridis(double value) {
  // Fitted to Matplotlib's table by a polynomial for each of red, green, blue (Matt Zucker, public domain).
  constexpr double kFit[7][3] = {{0.2777273, 0.0054073, 0.3340998},   {0.1050930, 1.4046135, 1.3845902},
                                 {-0.3308618, 0.2148476, 0.0950952},  {-4.6342305, -5.7991010, -19.3324410},
                                 {6.2282699, 14.1799334, 56.6905526}, {4.7763850, -13.7451454, -65.3530326},
                                 {-5.4354559, 4.6458526, 26.3124352}};
  Colour colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (std::size_t power = 7; power-- > 0;) sum = sum * std::clamp(value, 0.0, 1.0) + kFit[power][c];
    colour[c] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(sum, 0.0, 1.0)));
  }
  return colour;
}

}  // namespace cmanp::completion
