// Every panel of a sheet is in its place and shows what it should.
#include "completion/sheet.hpp"

#include <gtest/gtest.h>

#include "completion/picture_model.hpp"
#include "images/make_pictures.hpp"
#include "support/error_message.hpp"

namespace cmanp::completion {
namespace {

using images::Image;
using testing::sample_image;

Colour colour_at(const Image& sheet, std::size_t row, std::size_t column) {
  const std::uint8_t* pixel = &sheet.pixels[(row * sheet.width + column) * 3];
  return {pixel[0], pixel[1], pixel[2]};
}

// Every pixel of a panel, all over its square.
template <typename Want>
void expect_panel(const Image& sheet, const SheetLayout& layout, SheetLayout::Place at, std::size_t width,
                  Want&& want) {
  for (std::size_t row = 0; row < layout.panel_height; ++row) {
    for (std::size_t column = 0; column < layout.panel_width; ++column) {
      const std::size_t i = row / layout.magnified * width + column / layout.magnified;
      ASSERT_EQ(colour_at(sheet, at.top + row, at.left + column), want(i)) << row << " " << column;
    }
  }
}

TEST(Sheet, ShowsEverythingInItsPlace) {
  for (const std::size_t channels : {1, 3}) {
    const Puzzle puzzle = make_puzzle(sample_image(20, 28, channels), "p", {.pattern = "random:0.2", .seed = 1}, 0);
    const Completion done = complete(testing::picture_model(channels), puzzle, {.samples = 7});
    const SheetLayout layout(20, 28, 7, true);
    EXPECT_EQ(layout.magnified, 7U);
    EXPECT_EQ(layout.panel_width, 196U);
    const Image sheet = make_sheet(layout, puzzle, done);
    EXPECT_EQ(sheet.channels, 3U);
    EXPECT_EQ(sheet.width, layout.sheet_width);
    EXPECT_EQ(sheet.height, layout.sheet_height);
    const auto of = [](const Image& image) {
      return [&image](std::size_t i) {
        const std::size_t c = image.channels;
        return Colour{image.pixels[i * c], image.pixels[i * c + c / 2], image.pixels[i * c + c - 1]};
      };
    };
    expect_panel(sheet, layout, layout.given, 28,
                 [&](std::size_t i) { return puzzle.given[i] != 0 ? of(puzzle.truth)(i) : kMissing; });
    expect_panel(sheet, layout, layout.mean, 28, of(done.mean));
    expect_panel(sheet, layout, layout.truth, 28, of(puzzle.truth));
    const float top = *std::max_element(done.deviation.begin(), done.deviation.end());
    expect_panel(sheet, layout, layout.deviation, 28, [&](std::size_t i) {
      return viridis(static_cast<double>(done.deviation[i]) / static_cast<double>(top));
    });
    ASSERT_EQ(layout.samples.size(), 7U);
    for (std::size_t s = 0; s < 7; ++s) expect_panel(sheet, layout, layout.samples[s], 28, of(done.samples[s]));
    EXPECT_EQ(layout.samples[5].left, layout.samples[0].left);  // a second row
    // White around, and a label above each panel.
    EXPECT_EQ(colour_at(sheet, 0, 0), (Colour{255, 255, 255}));
    for (const SheetLayout::Place panel : {layout.given, layout.samples[6]}) {
      bool written = false;
      for (std::size_t row = panel.top - 20; row < panel.top - 6; ++row) {
        for (std::size_t x = 0; x < 60; ++x) written |= colour_at(sheet, row, panel.left + x)[0] < 100;
      }
      EXPECT_TRUE(written);
    }
  }
}

TEST(Sheet, FitsPicturesOfAnyShape) {
  for (const auto& [height, width] : {std::pair{2U, 300U}, {300U, 2U}, {400U, 500U}, {3U, 3U}}) {
    for (const std::size_t samples : {0U, 1U, 11U}) {
      const SheetLayout layout(height, width, samples, true);
      EXPECT_GE(layout.magnified, 1U);
      EXPECT_GE(layout.sheet_width, layout.truth.left + layout.panel_width + 1);
      const SheetLayout::Place last = samples > 0 ? layout.samples.back() : layout.truth;
      EXPECT_GE(layout.sheet_height, last.top + layout.panel_height + 1);
    }
  }
  EXPECT_LT(SheetLayout(28, 28, 3, false).sheet_width, SheetLayout(28, 28, 3, true).sheet_width);
  EXPECT_NE(testing::error_message([] { SheetLayout(5000, 5000, 20, true); }).find("fewer samples"), std::string::npos);
}

TEST(Viridis, RunsFromDarkBlueToYellow) {
  EXPECT_LT(viridis(0)[1], 10);
  EXPECT_GT(viridis(1)[0], 240);
  EXPECT_LT(viridis(1)[2], 60);
  EXPECT_EQ(viridis(-1), viridis(0));
  EXPECT_EQ(viridis(2), viridis(1));
  double before = -1;  // lighter all the way
  for (int i = 0; i <= 20; ++i) {
    const Colour colour = viridis(i / 20.0);
    const double light = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
    EXPECT_GT(light, before);
    before = light;
  }
}

}  // namespace
}  // namespace cmanp::completion
