// A completion keeps what is given, and computes what the library computes.
#include "completion/complete.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmanp/context.hpp>
#include <cmanp/predictor.hpp>
#include <cmath>
#include <numbers>

#include "completion/picture_model.hpp"
#include "completion/pixel_order.hpp"
#include "images/make_pictures.hpp"
#include "images/pixel_points.hpp"
#include "support/error_message.hpp"

namespace cmanp::completion {
namespace {

using images::Image;
using testing::error_message;
using testing::picture_model;
using testing::sample_image;

struct PixelPoints {
  std::vector<double> x, y;
};

// Pixels of a whole picture in the order of predictions, given or missing ones.
PixelPoints points_of(const Puzzle& puzzle, bool given) {
  PixelPoints points;
  for (const std::uint32_t i : coarse_to_fine(puzzle.height(), puzzle.width())) {
    if ((puzzle.given[i] != 0) != given) continue;
    points.x.push_back(2.0 * static_cast<double>(i / puzzle.width()) / static_cast<double>(puzzle.height() - 1) - 1);
    points.x.push_back(2.0 * static_cast<double>(i % puzzle.width()) / static_cast<double>(puzzle.width() - 1) - 1);
    for (std::size_t c = 0; c < puzzle.truth.channels; ++c) {
      points.y.push_back(puzzle.truth.pixels[i * puzzle.truth.channels + c] / 255.0 - 0.5);
    }
  }
  return points;
}

void expect_given_unchanged(const Image& completed, const Puzzle& puzzle) {
  for (std::size_t i = 0; i < puzzle.given.size() * completed.channels; ++i) {
    if (puzzle.given[i / completed.channels] == 0) continue;
    ASSERT_EQ(completed.pixels[i], puzzle.seen.pixels[i]) << i;
  }
}

TEST(Complete, EqualsADirectComputation) {
  for (const std::size_t channels : {1, 3}) {
    const Model model = picture_model(channels);
    const Puzzle puzzle = make_puzzle(sample_image(9, 7, channels), "p", {.pattern = "random:0.3", .seed = 4}, 0);
    const Completion done = complete(model, puzzle, {.samples = 2, .score = true});
    const PixelPoints seen = points_of(puzzle, true), missing = points_of(puzzle, false);
    Context context(model);
    context.observe(seen.x, seen.y);
    std::vector<double> mean(missing.y.size()), std(mean.size());
    context.predict(missing.x, mean, std);
    double error = 0, log_likelihood = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double residual = missing.y[i] - mean[i];
      error += residual * residual;
      log_likelihood -=
          0.5 * residual * residual / (std[i] * std[i]) + std::log(std[i]) + 0.5 * std::log(2 * std::numbers::pi);
    }
    EXPECT_EQ(done.given, 19U);
    EXPECT_EQ(done.missing, 44U);
    EXPECT_EQ(done.compared, 44U);
    EXPECT_NEAR(done.mean_squared_error.value(), error / static_cast<double>(mean.size()), 1e-6);
    EXPECT_NEAR(done.log_likelihood.value(), log_likelihood / 44, 1e-4 * std::abs(log_likelihood));
    // Missing pixels come in the same order.
    std::size_t next = 0;
    for (const std::uint32_t i : coarse_to_fine(9, 7)) {
      if (puzzle.given[i] != 0) continue;
      double variance = 0;
      for (std::size_t c = 0; c < channels; ++c, ++next) {
        EXPECT_NEAR(done.mean.pixels[i * channels + c], images::pixel_of_value(mean[next]), 1);
        variance += std[next] * std[next] / static_cast<double>(channels);
      }
      EXPECT_NEAR(done.deviation[i], std::sqrt(variance), 1e-4 * std::sqrt(variance));
    }
    expect_given_unchanged(done.mean, puzzle);
    ASSERT_EQ(done.samples.size(), 2U);
    for (const Image& sample : done.samples) expect_given_unchanged(sample, puzzle);
    EXPECT_NE(done.samples[0], done.samples[1]);
  }
}

TEST(Complete, ScoresANotDiagonalModelJointly) {
  const Model model = picture_model(3, Covariance::cholesky);
  const Puzzle puzzle = make_puzzle(sample_image(8, 8, 3), "p", {.pattern = "hole:0.5"}, 0);
  const PixelPoints seen = points_of(puzzle, true), missing = points_of(puzzle, false);
  for (const std::size_t block : {1, 5}) {
    Context context(model, {1, block});
    context.observe(seen.x, seen.y);
    const double want = score(context, missing.x, missing.y).log_likelihood;
    const Completion done = complete(model, puzzle, {.samples = 1, .block = block, .threads = 2, .score = true});
    EXPECT_NEAR(done.log_likelihood.value(), want, 1e-6 * std::abs(want));
  }
}

// With grain every missing pixel is drawn; without, an eighth of them, and all are shown by their mean given those.
TEST(Complete, SamplesAreDrawsOrWhatFollowsFromSome) {
  const Model model = picture_model(1, Covariance::cholesky);
  const Puzzle puzzle = make_puzzle(sample_image(8, 8, 1), "p", {.pattern = "random:0.25", .seed = 2}, 0);
  const PixelPoints seen = points_of(puzzle, true), missing = points_of(puzzle, false);
  ASSERT_EQ(missing.y.size(), 48U);
  for (const bool grain : {true, false}) {
    Context context(model);
    context.observe(seen.x, seen.y);
    const std::size_t drawn = grain ? 48 : 6;
    const std::span<const double> x = std::span(missing.x).first(2 * drawn);
    std::vector<double> values(drawn), std(48);
    sample(context, x, values, {.seed = 9, .growth = grain ? 0.25 : 0});
    if (!grain) {
      context.observe(x, values);
      values.resize(48);
      context.predict(missing.x, values, std);
    }
    const Completion done = complete(model, puzzle, {.samples = 1, .seed = 9, .grain = grain});
    std::size_t next = 0;
    for (const std::uint32_t i : coarse_to_fine(8, 8)) {
      if (puzzle.given[i] != 0) continue;
      EXPECT_NEAR(done.samples[0].pixels[i], images::pixel_of_value(values[next++]), 1);
    }
  }
}

TEST(Complete, IsTheSameWithAnySeedTwiceAndAnyThreads) {
  for (const Covariance covariance : {Covariance::diagonal, Covariance::lowrank}) {
    const Model model = picture_model(1, covariance);
    const Puzzle puzzle = make_puzzle(sample_image(10, 10, 1), "p", {.pattern = "rows:4"}, 0);
    const Completion a = complete(model, puzzle, {.seed = 3});
    EXPECT_EQ(a.samples, complete(model, puzzle, {.seed = 3, .threads = 3}).samples);
    EXPECT_NE(a.samples, complete(model, puzzle, {.seed = 4}).samples);
  }
}

// A part of a picture that is hidden by a mask, completed by itself.
Completion completed_part(const Image& picture, const Image& mask, std::size_t left, std::uint64_t seed) {
  const auto cut = [left](const Image& image) {
    Image part = images::make_image(8, 8, 1);
    for (std::size_t i = 0; i < 64; ++i) part.pixels[i] = image.pixels[i / 8 * image.width + left + i % 8];
    return part;
  };
  return complete(picture_model(1), make_puzzle(cut(picture), "p", {.mask = cut(mask), .mask_name = "m"}, 0),
                  {.samples = 2, .seed = seed});
}

// Tiles of 8 reach 2 into each other. What is one tile's alone is as that tile says, and what is of two lies between.
TEST(Complete, TilesGoOverIntoEachOther) {
  const Image picture = sample_image(8, 14, 1), mask = sample_image(8, 14, 1);
  const Completion whole = complete(picture_model(1), make_puzzle(picture, "p", {.mask = mask, .mask_name = "m"}, 0),
                                    {.side = 8, .samples = 2, .seed = 5, .score = true});
  EXPECT_EQ(whole.tiles, 2U);
  EXPECT_EQ(whole.compared, whole.missing);
  const Completion left = completed_part(picture, mask, 0, 5), right = completed_part(picture, mask, 6, 6);
  const auto expect_blend = [](const Image& blend, const Image& of_left, const Image& of_right) {
    for (std::size_t row = 0; row < 8; ++row) {
      for (std::size_t column = 0; column < 14; ++column) {
        const int value = blend.pixels[row * 14 + column];
        const int first = column < 8 ? of_left.pixels[row * 8 + column] : of_right.pixels[row * 8 + column - 6];
        const int second = column < 6 ? first : of_right.pixels[row * 8 + column - 6];
        EXPECT_GE(value, std::min(first, second)) << row << " " << column;
        EXPECT_LE(value, std::max(first, second)) << row << " " << column;
      }
    }
  };
  expect_blend(whole.mean, left.mean, right.mean);
  for (std::size_t s = 0; s < 2; ++s) expect_blend(whole.samples[s], left.samples[s], right.samples[s]);
}

TEST(Complete, WithoutTruthThereIsNothingToCompare) {
  Image picture = sample_image(8, 8, 1);
  picture.alpha.assign(64, 255);
  std::fill_n(picture.alpha.begin(), 20, std::uint8_t{0});
  const Completion done = complete(picture_model(1), make_puzzle(picture, "p", {}, 0), {.samples = 1, .score = true});
  EXPECT_EQ(done.missing, 20U);
  EXPECT_EQ(done.compared, 0U);
  EXPECT_FALSE(done.log_likelihood);
  EXPECT_FALSE(done.mean_squared_error);
  // What lies under a transparent pixel makes no difference.
  std::fill_n(picture.pixels.begin(), 20, std::uint8_t{99});
  EXPECT_EQ(complete(picture_model(1), make_puzzle(picture, "p", {}, 0), {.samples = 1}).samples, done.samples);
}

TEST(Complete, CountsTilesWithNothingGiven) {
  const Puzzle puzzle = make_puzzle(sample_image(16, 8, 1), "p", {.pattern = "top"}, 0);
  EXPECT_EQ(complete(picture_model(1), puzzle, {.side = 8, .samples = 1}).blind_tiles, 1U);
}

TEST(Complete, RefusesWhatDoesNotFit) {
  const Puzzle puzzle = make_puzzle(sample_image(8, 12, 1), "p", {.pattern = "top"}, 0);
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(error_message([&] { complete(picture_model(3), puzzle, {}); }), "1 channels for a model of 3");
  expect(error_message([&] { complete(picture_model(1), puzzle, {.side = 9}); }), "smaller than a tile of 9x9");
  Config config = picture_model(1).config();
  check_is_for_pictures(config, "m");
  for (const auto& [x, y] : {std::pair{1U, 1U}, {2U, 2U}, {3U, 1U}}) {
    config.dim_x = x;
    config.dim_y = y;
    expect(error_message([&] { check_is_for_pictures(config, "m"); }), "m: is no model for pictures");
  }
}

}  // namespace
}  // namespace cmanp::completion
