// Resizing, grey and transposition: against values of the Python Imaging Library 9.4.
#include "images/resize.hpp"

#include <gtest/gtest.h>

#include "images/make_pictures.hpp"
#include "support/error_message.hpp"

namespace cmanp::images {
namespace {

using testing::sample_image;
using Values = std::vector<std::uint8_t>;

TEST(Resize, IsThePythonImagingLibrarysBitForBit) {
  EXPECT_EQ(resize(sample_image(19, 13, 3), 4, 4).pixels,
            (Values{103, 140, 117, 127, 131, 115, 125, 127, 117, 121, 115, 126, 116, 130, 133, 117,
                    136, 138, 132, 131, 131, 124, 129, 128, 126, 130, 121, 133, 130, 143, 123, 127,
                    140, 120, 116, 113, 113, 125, 127, 127, 124, 137, 124, 112, 117, 116, 123, 129}));
  EXPECT_EQ(
      resize(sample_image(5, 4, 1), 6, 7).pixels,
      (Values{0,  3,  14,  24,  33,  45,  50,  25,  32,  45,  57,  69,  82,  90,  57,  65,  81,  96,  110, 127, 135,
              87, 97, 117, 133, 150, 178, 192, 119, 130, 153, 176, 188, 174, 167, 146, 159, 184, 222, 214, 66,  0}));
  EXPECT_EQ(resize(sample_image(9, 30, 1), 9, 5).pixels,
            (Values{45,  152, 160, 86,  192, 105, 136, 101, 146, 96,  144, 102, 154, 125, 110,
                    143, 126, 122, 126, 144, 117, 116, 118, 121, 120, 121, 115, 111, 110, 141,
                    124, 136, 135, 138, 107, 97,  113, 117, 121, 137, 110, 132, 126, 125, 133}));
}

TEST(Resize, KeepsAFlatPictureAndTheSameSize) {
  Image flat = make_image(50, 30, 1);
  flat.pixels.assign(1500, 77);
  EXPECT_EQ(resize(flat, 7, 9).pixels, Values(63, 77));
  EXPECT_EQ(resize(flat, 80, 64).pixels, Values(80 * 64, 77));
  EXPECT_EQ(resize(sample_image(6, 5, 3), 6, 5), sample_image(6, 5, 3));
  EXPECT_NE(testing::error_message([&] { resize(flat, 0, 4); }), "(no error)");
}

TEST(Resize, MissingPixelsHaveNoWeight) {
  Image image = make_image(8, 8, 1);
  image.alpha.assign(64, 255);
  for (std::size_t i = 0; i < 64; ++i) {
    const bool missing = i % 8 >= 4;
    image.pixels[i] = missing ? 255 : 60;  // what is under transparency must not shine through
    if (missing) image.alpha[i] = 0;
  }
  const Image small = resize(image, 4, 4);
  for (std::size_t i = 0; i < 16; ++i) {
    if (small.alpha[i] <= 127) continue;
    EXPECT_NEAR(small.pixels[i], 60, 3) << i;
  }
  EXPECT_GT(small.alpha[0], 250);
  EXPECT_LT(small.alpha[3], 5);
}

TEST(Image, GreyIsTheWeightedMean) {
  Image image = make_image(1, 4, 3);
  image.pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 12, 200, 97};
  EXPECT_EQ(with_channels(image, 1).pixels, (Values{76, 150, 29, 132}));
  EXPECT_EQ(with_channels(with_channels(image, 1), 3).pixels,
            (Values{76, 76, 76, 150, 150, 150, 29, 29, 29, 132, 132, 132}));
}

TEST(Image, TransposedSwapsRowsAndColumns) {
  Image image = make_image(2, 3, 1);
  image.pixels = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(transposed(image).pixels, (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(transposed(image).height, 3U);
  EXPECT_EQ(transposed(transposed(sample_image(4, 7, 3))), sample_image(4, 7, 3));
}

}  // namespace
}  // namespace cmanp::images
