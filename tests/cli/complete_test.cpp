// cmanp complete: sheets and completed pictures, their figures, and every input that is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cli/cli_test.hpp"
#include "images/make_pictures.hpp"
#include "images/picture_file.hpp"

namespace cmanp::testing {
namespace {

using images::Image;
using nlohmann::json;

class CompleteTest : public CliTest {
 protected:
  CompleteTest() {
    for (const std::string channels : {"1", "3"}) {
      output_of({"init", "--preset", "nano", "--dim-x", "2", "--dim-y", channels, "--latents", "4", "--block-latents",
                 "6", "-o", (*this)("m" + channels)});
    }
    // As one is that `cmanp export` wrote.
    folder_.write("grey.cmanp", with_header(read_file(folder_ / "m1"), [](json& header) {
                    header["__metadata__"]["provenance"] = R"({"settings": {"task": "image", "resolution": 12}})";
                  }));
    folder_.write("grey.png", make_png(sample_image(12, 12, 1)));
    folder_.write("large.png", make_png(sample_image(30, 26, 1)));
    folder_.write("colour.png", make_png(sample_image(12, 12, 3)));
  }

  std::vector<std::string> verb(const std::string& picture, const std::vector<std::string>& more = {},
                                const std::string& model = "grey.cmanp") const {
    std::vector<std::string> arguments{"complete", "--model", (*this)(model), (*this)(picture)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  Image picture_at(const std::string& name) const { return images::read_picture(folder_ / name); }

  void expect_bad_usage(const std::vector<std::string>& arguments, const std::string& part) const {
    const ProcessResult result = cmanp(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
};

TEST_F(CompleteTest, WritesASheetAndTheCompletedPicture) {
  const std::vector<std::string> arguments =
      verb("grey.png", {"--pattern", "top", "--seed", "1", "-o", (*this)("s.png"), "--mean", (*this)("m.png")});
  const ProcessResult result = cmanp(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  const Image sheet = picture_at("s.png"), mean = picture_at("m.png"), truth = picture_at("grey.png");
  EXPECT_EQ(sheet.channels, 3U);
  EXPECT_EQ(sheet.width, 16U + 5 * (192 + 2 + 16));  // five samples, magnified by 16
  ASSERT_EQ(mean.pixels.size(), truth.pixels.size());
  for (std::size_t i = 0; i < 72; ++i) EXPECT_EQ(mean.pixels[i], truth.pixels[i]);
  EXPECT_FALSE(std::equal(mean.pixels.begin() + 72, mean.pixels.end(), truth.pixels.begin() + 72));
  // The same again, the same elsewhere, and another seed.
  const std::string first = read_file(folder_ / "s.png");
  output_of(arguments);
  EXPECT_EQ(read_file(folder_ / "s.png"), first);
  output_of(verb("grey.png", {"--pattern", "top", "--seed", "1", "--threads", "1", "-o", (*this)("t.png")}));
  EXPECT_EQ(read_file(folder_ / "t.png"), first);
  output_of(verb("grey.png", {"--pattern", "top", "--seed", "2", "-o", (*this)("t.png")}));
  EXPECT_NE(read_file(folder_ / "t.png"), first);
}

TEST_F(CompleteTest, GivesFiguresAsJson) {
  const json told =
      json_of(verb("grey.png", {"--keep", "0.25", "--seed", "1", "--json", "--samples", "2", "-o", (*this)("s.png")}));
  EXPECT_EQ(told["given"], 36);
  EXPECT_EQ(told["missing"], 108);
  EXPECT_EQ(told["compared"], 108);
  EXPECT_EQ(told["width"], 12);
  EXPECT_EQ(told["channels"], 1);
  EXPECT_EQ(told["samples"], 2);
  EXPECT_EQ(told["tiles"], 1);
  EXPECT_TRUE(told["log_likelihood"].is_number());
  EXPECT_NEAR(told["rmse"].get<double>(), std::sqrt(told["mean_squared_error"].get<double>()), 1e-12);
  EXPECT_GT(told["rmse"], 0);
  EXPECT_GT(told["seconds"], 0);
  // The sheet is not needed for them, and `score` of the same points says the same.
  const json half = json_of(verb("grey.png", {"--pattern", "left", "--json"}));
  std::string context = "x1,x2,y\n", targets = context;
  const Image picture = picture_at("grey.png");
  for (int i = 0; i < 144; ++i) {
    (i % 12 < 6 ? context : targets) += fmt::format("{},{},{}\n", i / 12 / 5.5 - 1, i % 12 / 5.5 - 1,
                                                    picture.pixels[static_cast<std::size_t>(i)] / 255.0 - 0.5);
  }
  folder_.write("c.csv", context);
  folder_.write("t.csv", targets);
  const json score = json_of(
      {"score", "--model", (*this)("m1"), "--context", (*this)("c.csv"), "--targets", (*this)("t.csv"), "--json"});
  EXPECT_EQ(half["compared"], score["points"]);
  EXPECT_NEAR(half["log_likelihood"].get<double>(), score["log_likelihood"].get<double>(), 1e-5);
}

TEST_F(CompleteTest, TakesTransparentPixelsAsMissing) {
  std::string rows;
  for (int row = 0; row < 12; ++row) {
    rows += '\0';
    for (int column = 0; column < 12; ++column) rows += {static_cast<char>(20 * column), row < 4 ? '\0' : '\xFF'};
  }
  folder_.write("holes.png", make_png({12, 12, 8, 4, rows}));
  const json told = json_of(verb("holes.png", {"--json", "-o", (*this)("s.png")}));
  EXPECT_EQ(told["given"], 96);
  EXPECT_EQ(told["compared"], 0);
  EXPECT_TRUE(told["log_likelihood"].is_null());
  EXPECT_TRUE(told["rmse"].is_null());
  const json half = json_of(verb("holes.png", {"--json", "--pattern", "top"}));
  EXPECT_EQ(half["given"], 24);
  EXPECT_EQ(half["compared"], 72);
}

TEST_F(CompleteTest, TakesAMask) {
  Image mask = images::make_image(26, 30, 1);
  std::fill_n(mask.pixels.begin(), 300, std::uint8_t{255});
  folder_.write("mask.png", make_png(mask));
  Image turned = sample_image(26, 30, 1);
  folder_.write("wide.png", make_png(turned));
  const json told =
      json_of(verb("wide.png", {"--mask", (*this)("mask.png"), "--tiles", "--json", "--mean", (*this)("m.png")}));
  EXPECT_EQ(told["given"], 300);
  EXPECT_EQ(told["tiles"], 9);
  EXPECT_EQ(told["width"], 30);
  const Image mean = picture_at("m.png");
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(mean.pixels[i], turned.pixels[i]);
  const json small = json_of(verb("wide.png", {"--mask", (*this)("mask.png"), "--json"}));
  EXPECT_EQ(small["width"], 12);
  EXPECT_NEAR(small["given"].get<double>(), 144 * 300.0 / 780, 12);
  expect_refused(verb("large.png", {"--mask", (*this)("mask.png"), "--json"}),
                 {"mask.png", "30x26", "does not fit", "26x30"});
  folder_.write("black.png", make_png(images::make_image(12, 12, 1)));
  expect_refused(verb("grey.png", {"--mask", (*this)("black.png"), "--json"}), {"black.png: gives no pixel"});
}

TEST_F(CompleteTest, ComesToTheModelsSizeAndColours) {
  const ProcessResult large = cmanp(verb("large.png", {"--keep", "0.5", "--mean", (*this)("m.png")}));
  EXPECT_EQ(large.exit_code, 0);
  EXPECT_NE(large.err.find("note: " + (*this)("large.png") + ": 26x30 pixels, completed at the model's own 12x12"),
            std::string::npos)
      << large.err;
  EXPECT_EQ(picture_at("m.png").width, 12U);
  const ProcessResult colour = cmanp(verb("colour.png", {"--keep", "0.5", "--mean", (*this)("m.png")}));
  EXPECT_NE(colour.err.find("made grey"), std::string::npos) << colour.err;
  EXPECT_EQ(picture_at("m.png").channels, 1U);
  const std::vector<std::string> more{"--resolution", "12", "--keep", "0.5", "--mean", (*this)("m.png")};
  const ProcessResult grey = cmanp(verb("grey.png", more, "m3"));
  EXPECT_NE(grey.err.find("grey, for a model of colours"), std::string::npos) << grey.err;
  EXPECT_EQ(picture_at("m.png").channels, 3U);
  EXPECT_EQ(cmanp(verb("colour.png", more, "m3")).err, "");
}

TEST_F(CompleteTest, WorksInAPipeline) {
  output_of(verb("grey.png", {"--keep", "0.5", "--mean", (*this)("m.png")}));
  const std::string completed =
      output_of({"complete", "--model", (*this)("grey.cmanp"), "-", "--keep", "0.5", "--mean", "-"},
                read_file(folder_ / "grey.png"));
  EXPECT_EQ(completed, read_file(folder_ / "m.png"));
  EXPECT_TRUE(output_of(verb("grey.png", {"--keep", "0.5", "-o", "-"})).starts_with("\x89PNG"));
  expect_refused({"complete", "--model", (*this)("grey.cmanp"), "-", "--keep", "0.5", "--mean", "-"},
                 {"standard input: is empty"});
}

TEST_F(CompleteTest, RefusesBadPictures) {
  using namespace std::string_literals;
  const std::string whole = read_file(folder_ / "grey.png");
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 0x10);
  const std::vector<std::tuple<std::string, std::string, std::string>> bad{
      {"cut.png", whole.substr(0, whole.size() / 2), "damaged PNG"},
      {"flipped.png", flipped, "damaged PNG"},
      {"bomb.png", make_png({100000, 100000, 8, 6, "\0"s}), "100000x100000 pixels"},
      {"zero.png", make_png({0, 5, 8, 0, ""}), "damaged PNG"},
      {"cmyk.jpg", make_jpeg(8, 8, 4, std::string(256, 'a')), "CMYK"},
      {"moving.png", make_png({1, 1, 8, 0, "\0a"s, {{"acTL", "\0\0\0\x02\0\0\0\0"s}}}), "animated PNG"},
      {"moving.gif", "GIF89a\x01\x00"s, "GIF"},
      {"empty.png", "", "is empty"},
      {"text.png", "hello", "no PNG or JPEG"}};
  for (const auto& [name, bytes, why] : bad) {
    folder_.write(name, bytes);
    expect_refused(verb(name, {"--keep", "0.5", "-o", (*this)("s.png")}), {name, why});
    expect_refused(verb("grey.png", {"--mask", (*this)(name), "-o", (*this)("s.png")}), {name, why});
  }
  expect_refused(verb("none.png", {"--keep", "0.5", "-o", (*this)("s.png")}), {"none.png"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.png"));
  // Unusual ones that are whole.
  folder_.write("sixteen.png", make_png({2, 2, 16, 0, "\0\xFF\xFF\x00\x10\0\x20\x00\x30\x00"s}));
  folder_.write("palette.png", make_png({2, 1, 8, 3, "\0\x01\x00"s, {{"PLTE", "\x01\x02\x03\xF0\xE0\xD0"s}}}));
  folder_.write("photo.jpg", make_jpeg(16, 8, 3, text_of(sample_image(8, 16, 3))));
  for (const std::string name : {"sixteen.png", "palette.png", "photo.jpg"}) {
    output_of(verb(name, {"--keep", "0.5", "-o", (*this)("s.png")}));
  }
}

TEST_F(CompleteTest, RefusesWhatMakesNoSense) {
  const std::string out = (*this)("s.png");
  expect_refused(verb("grey.png", {"--keep", "0.5", "-o", out}, "small.cmanp"),
                 {"small.cmanp: is no model for pictures", "1 in x and 1 in y"});
  expect_refused(verb("grey.png", {"--keep", "0.5", "-o", out}, "m1"), {"m1", "does not say", "--resolution"});
  expect_refused(verb("grey.png", {"-o", out}), {"grey.png: has no transparent pixels", "hide some"});
  expect_refused(verb("grey.png", {"--keep", "1", "-o", out}), {"gives every pixel"});
  expect_refused(verb("grey.png", {"--keep", "0.001", "-o", out}), {"gives no pixel"});
  expect_refused(verb("grey.png", {"--pattern", "middle", "-o", out}), {"pattern 'middle' is unknown"});
  expect_refused(verb("grey.png", {"--keep", "0.5", "--tiles", "--resolution", "16", "-o", out}),
                 {"grey.png: 12x12 pixels are smaller than a tile of 16x16"});
  expect_refused(verb("grey.png", {"--keep", "0.5", "-o", (*this)("none/s.png")}), {"none"});
  expect_bad_usage(verb("grey.png", {"--keep", "0.5"}), "give --out, --mean or --json");
  expect_bad_usage(verb("grey.png", {"--keep", "0.5", "--json", "-o", "-"}), "standard output");
  expect_bad_usage(verb("grey.png", {"--keep", "0.5", "--pattern", "top", "-o", out}), "--pattern");
  expect_bad_usage(verb("grey.png", {"--keep", "0", "-o", out}), "--keep");
  expect_bad_usage(verb("grey.png", {"--keep", "2", "-o", out}), "--keep");
  expect_bad_usage(verb("grey.png", {"--samples", "-1", "-o", out}), "--samples");
  expect_bad_usage({"complete", (*this)("grey.png"), "-o", out}, "--model");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.png"));
}

}  // namespace
}  // namespace cmanp::testing
