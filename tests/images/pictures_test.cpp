// Every kind of PNG and JPEG gives its pixels; every broken, huge or strange one an error that says why.
#include "images/picture_file.hpp"

#include <gtest/gtest.h>

#include "images/make_pictures.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::images {
namespace {

using testing::error_message;
using testing::make_jpeg;
using testing::make_png;
using testing::make_png_with_long_text;
using testing::PngParts;
using testing::sample_image;
using testing::text_of;
using Bytes = std::vector<std::uint8_t>;
using namespace std::string_literals;

Image decode(const std::string& bytes) { return decode_picture(std::as_bytes(std::span(bytes)), "p.png"); }

void expect_refused(const std::string& bytes, const std::vector<std::string>& parts) {
  const std::string message = error_message([&] { decode(bytes); });
  EXPECT_TRUE(message.starts_with("p.png: ")) << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Png, GreyAndColourComeBackAsTheyWere) {
  for (const std::size_t channels : {1, 3}) {
    const Image image = sample_image(5, 7, channels);
    EXPECT_EQ(decode(make_png(image)), image);
  }
}

TEST(Png, OfFewBitsAndManyBecomesEight) {
  const Image bits = decode(make_png({4, 2, 1, 0, "\0\xA0\0\x50"s}));  // 1010, 0101
  EXPECT_EQ(bits.pixels, (Bytes{255, 0, 255, 0, 0, 255, 0, 255}));
  const Image nibbles = decode(make_png({2, 1, 4, 0, "\0\x3F"s}));
  EXPECT_EQ(nibbles.pixels, (Bytes{51, 255}));
  // 16 bits are rounded: 0x00FF is nearer to 1 (0x0101) than to 0.
  const Image sixteen = decode(make_png({3, 1, 16, 0, "\0\xFF\xFF\x00\xFF\x00\x10"s}));
  EXPECT_EQ(sixteen.pixels, (Bytes{255, 1, 0}));
  const Image colour = decode(make_png({1, 1, 16, 2, "\0\xFF\xFF\x00\x00\x81\x81"s}));
  EXPECT_EQ(colour.pixels, (Bytes{255, 0, 0x81}));
  EXPECT_EQ(colour.channels, 3U);
}

TEST(Png, PalettesAreLookedUp) {
  const std::string colours = "\x01\x02\x03\xF0\xE0\xD0"s;
  const Image image = decode(make_png({3, 1, 8, 3, "\0\x01\x00\x01"s, {{"PLTE", colours}}}));
  EXPECT_EQ(image.pixels, (Bytes{0xF0, 0xE0, 0xD0, 1, 2, 3, 0xF0, 0xE0, 0xD0}));
  EXPECT_TRUE(image.alpha.empty());
  const Image holes = decode(make_png({2, 1, 8, 3, "\0\x01\x00"s, {{"PLTE", colours}, {"tRNS", "\0"s}}}));
  EXPECT_EQ(holes.alpha, (Bytes{255, 0}));
  expect_refused(make_png({1, 1, 8, 3, "\0\x00"s}), {"damaged PNG", "PLTE"});
}

TEST(Png, AlphaIsKeptApart) {
  const Image grey = decode(make_png({2, 1, 8, 4, "\0\x11\x22\x33\x00"s}));
  EXPECT_EQ(grey.pixels, (Bytes{0x11, 0x33}));
  EXPECT_EQ(grey.alpha, (Bytes{0x22, 0x00}));
  const Image colour = decode(make_png({1, 1, 8, 6, "\0\x01\x02\x03\x04"s}));
  EXPECT_EQ(colour.pixels, (Bytes{1, 2, 3}));
  EXPECT_EQ(colour.alpha, (Bytes{4}));
}

TEST(Png, BrokenOnesAreNamed) {
  const std::string whole = make_png(sample_image(20, 20, 3));
  for (const std::size_t size : {9U, 20U, 40U, 100U}) expect_refused(whole.substr(0, size), {"damaged PNG"});
  for (std::size_t cut = 1; cut < 40; ++cut) {
    EXPECT_NE(error_message([&] { decode(whole.substr(0, whole.size() - cut)); }), "(no error)") << cut;
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x10);
  expect_refused(flipped, {"damaged PNG"});
  expect_refused(make_png({4, 4, 8, 0, "\0abcd"s}), {"damaged PNG"});  // one row of four
  expect_refused(make_png({1, 1, 7, 0, "\0a"s}), {"damaged PNG"});     // no such depth
  expect_refused(make_png_with_long_text(), {"damaged PNG", "cut short"});
}

TEST(Png, OfNoPixelsOrTooManyIsRefusedBeforeAnythingIsAllocated) {
  expect_refused(make_png({0, 5, 8, 0, ""}), {"damaged PNG"});
  expect_refused(make_png({5, 0, 8, 0, ""}), {"damaged PNG"});
  expect_refused(make_png({0x7FFFFFFF, 0x7FFFFFFF, 8, 6, "\0"s}), {"2147483647x2147483647 pixels", "64 million"});
  expect_refused(make_png({100000, 100000, 16, 6, "\0"s}), {"100000x100000"});
  const std::string small = make_png(sample_image(5, 5, 1));
  EXPECT_NE(error_message([&] { decode_picture(std::as_bytes(std::span(small)), "p", 24); }).find("5x5"),
            std::string::npos);
}

TEST(Png, AnimatedIsToldSo) {
  const std::string control = "\0\0\0\x02\0\0\0\0"s;
  expect_refused(make_png({1, 1, 8, 0, "\0a"s, {{"acTL", control}}}), {"animated PNG"});
  std::string late = make_png({1, 1, 8, 0, "\0a"s});  // after the picture it says nothing
  const std::string animated = make_png({1, 1, 8, 0, "\0a"s, {{"acTL", control}}});
  const std::size_t chunk = animated.find("acTL") - 4;
  late.insert(late.find("IEND") - 4, animated.substr(chunk, 12 + control.size()));
  EXPECT_EQ(decode(late).pixels, Bytes{'a'});
}

TEST(Png, IsWrittenInOneStepAndReadsBack) {
  const testing::TemporaryFolder folder;
  for (const std::size_t channels : {1, 3}) {
    Image image = sample_image(6, 4, channels);
    write_png(folder / "out.png", image);
    EXPECT_EQ(read_picture(folder / "out.png"), image);
    image.alpha.assign(24, 7);
    write_png(folder / "out.png", image);
    EXPECT_EQ(read_picture(folder / "out.png"), image);
  }
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_NE(error_message([&] { write_png(folder / "none/out.png", sample_image(2, 2, 1)); }).find("cannot write"),
            std::string::npos);
}

TEST(Jpeg, GreyColourAndProgressiveAreRead) {
  for (const bool progressive : {false, true}) {
    const std::string grey(64, '\x64'), red = [] {
      std::string pixels;
      for (int i = 0; i < 64; ++i) pixels += "\xC8\x1E\x1E";
      return pixels;
    }();
    const Image flat = decode(make_jpeg(8, 8, 1, grey, progressive));
    EXPECT_EQ(flat.channels, 1U);
    EXPECT_EQ(flat.pixels, Bytes(64, 100));
    const Image colour = decode(make_jpeg(8, 8, 3, red, progressive));
    ASSERT_EQ(colour.channels, 3U);
    EXPECT_NEAR(colour.pixels[0], 200, 2);
    EXPECT_NEAR(colour.pixels[1], 30, 2);
  }
}

// A JPEG's bytes with an Exif marker that says how the camera was held.
std::string with_orientation(const std::string& jpeg, const std::string& tiff) {
  const std::string content = "Exif"s + '\0' + '\0' + tiff;
  const std::size_t length = content.size() + 2;
  return jpeg.substr(0, 2) + "\xFF\xE1" + static_cast<char>(length >> 8) + static_cast<char>(length & 0xFF) + content +
         jpeg.substr(2);
}

TEST(Jpeg, IsTurnedAsItsCameraWasHeld) {
  const auto tiff = [](bool little, int orientation) {
    const auto value = static_cast<char>(orientation);
    return little ? "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"s + value + "\0\0\0\0\0\0\0"s
                  : "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s + value + "\0\0\0\0\0\0"s;
  };
  // 16 columns, the left half black; 8 rows.
  std::string samples;
  for (int i = 0; i < 8 * 16; ++i) samples += i % 16 < 8 ? '\0' : '\xFF';
  const std::string jpeg = make_jpeg(16, 8, 1, samples);
  const auto corners = [&](const std::string& exif) {
    const Image image = decode(with_orientation(jpeg, exif));
    const auto bright = [&](std::size_t row, std::size_t column) {
      return image.pixels[row * image.width + column] > 128 ? '#' : '.';
    };
    return std::to_string(image.width) + "x" + std::to_string(image.height) + bright(0, 0) +
           bright(0, image.width - 1) + bright(image.height - 1, 0) + bright(image.height - 1, image.width - 1);
  };
  for (const bool little : {true, false}) {
    EXPECT_EQ(corners(tiff(little, 1)), "16x8.#.#");
    EXPECT_EQ(corners(tiff(little, 2)), "16x8#.#.");
    EXPECT_EQ(corners(tiff(little, 3)), "16x8#.#.");
    EXPECT_EQ(corners(tiff(little, 4)), "16x8.#.#");
    EXPECT_EQ(corners(tiff(little, 5)), "8x16..##");
    EXPECT_EQ(corners(tiff(little, 6)), "8x16..##");
    EXPECT_EQ(corners(tiff(little, 7)), "8x16##..");
    EXPECT_EQ(corners(tiff(little, 8)), "8x16##..");
    EXPECT_EQ(corners(tiff(little, 9)), "16x8.#.#");  // there is none
    EXPECT_EQ(corners(tiff(little, 6).substr(0, 12)), "16x8.#.#");
  }
  EXPECT_EQ(corners("II*\0\xFF\xFF\xFF\xFF"s), "16x8.#.#");
}

TEST(Picture, EveryOrientationIsMadeUpright) {
  const Image image{2, 3, 1, {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
  using Values = std::vector<std::uint8_t>;
  const Values expected[] = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
                             {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image turned = upright(image, orientation);
    EXPECT_EQ(turned.width, orientation < 5 ? 3U : 2U);
    EXPECT_EQ(turned.pixels, expected[orientation - 1]) << orientation;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(turned.alpha[i], turned.pixels[i] + 6);
  }
}

TEST(Jpeg, CmykIsToldSo) { expect_refused(make_jpeg(8, 8, 4, std::string(256, 'a')), {"CMYK", "convert"}); }

TEST(Jpeg, BrokenOnesAreNamed) {
  const Image image = sample_image(40, 40, 3);
  for (const bool progressive : {false, true}) {
    const std::string whole = make_jpeg(40, 40, 3, text_of(image), progressive);
    EXPECT_EQ(decode(whole).size(), 1600U);
    for (const std::size_t size : {4UL, 30UL, whole.size() / 2, whole.size() - 30}) {
      expect_refused(whole.substr(0, size), {"damaged JPEG"});
    }
  }
}

TEST(Jpeg, TooLargeOrEmptyIsRefused) {
  std::string bytes = make_jpeg(8, 8, 1, std::string(64, 'a'));
  const std::size_t frame = bytes.find("\xFF\xC0"s);
  ASSERT_NE(frame, std::string::npos);
  bytes.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC"s);  // 65500 by 65500
  expect_refused(bytes, {"65500x65500 pixels"});
  bytes.replace(frame + 5, 4, "\0\0\0\x08"s);
  expect_refused(bytes, {"damaged JPEG"});
}

TEST(Picture, OtherFilesAreToldWhatTheyAre) {
  expect_refused("", {"is empty"});
  expect_refused("hello", {"no PNG or JPEG"});
  expect_refused("GIF89a\x01\x00"s, {"GIF", "convert"});
  expect_refused("RIFF....WEBPVP8 ", {"WebP"});
  expect_refused("BM......", {"BMP"});
  expect_refused("\0\0\0\x18"s + "ftypheic", {"HEIC", "convert"});
  const testing::TemporaryFolder folder;
  EXPECT_NE(error_message([&] { read_picture(folder / "none.png"); }).find("none.png"), std::string::npos);
  EXPECT_NE(error_message([&] { read_picture(folder.path()); }).find("is a folder"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::images
