// The public way to complete a picture does what the program does.
#include <gtest/gtest.h>

#include <cmanp/completion.hpp>

#include "completion/complete.hpp"
#include "completion/picture_model.hpp"
#include "support/error_message.hpp"

namespace cmanp::testing {
namespace {

Picture small_picture(std::size_t height, std::size_t width, std::size_t channels) {
  Picture picture{height, width, channels, {}};
  for (std::size_t i = 0; i < height * width * channels; ++i) {
    picture.pixels.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  }
  return picture;
}

std::vector<std::uint8_t> every_third(const Picture& picture) {
  std::vector<std::uint8_t> given(picture.height * picture.width);
  for (std::size_t i = 0; i < given.size(); i += 3) given[i] = 255;
  return given;
}

TEST(PublicCompletion, IsTheProgramsOwn) {
  for (const std::size_t tile : {0, 5}) {
    const Model model = picture_model(3, Covariance::cholesky);
    const Picture picture = small_picture(7, 9, 3);
    const std::vector<std::uint8_t> given = every_third(picture);
    completion::Puzzle puzzle;
    puzzle.seen = puzzle.truth = {7, 9, 3, picture.pixels, {}};
    for (const std::uint8_t one : given) puzzle.given.push_back(one != 0);
    puzzle.known.assign(given.size(), 1);
    const completion::Completion expected =
        completion::complete(model, puzzle, {.side = tile, .samples = 2, .block = 3, .seed = 5, .score = true});

    std::size_t tiles = 0;
    const CompletedPicture done =
        complete(model, picture, given, {.tile = tile, .samples = 2, .block = 3, .seed = 5, .threads = 2},
                 [&](std::size_t finished) { tiles = finished; });
    EXPECT_EQ(tiles, expected.tiles);
    EXPECT_EQ(done.mean.height, 7u);
    EXPECT_EQ(done.mean.width, 9u);
    EXPECT_EQ(done.mean.channels, 3u);
    EXPECT_EQ(done.mean.pixels, expected.mean.pixels);
    EXPECT_EQ(done.deviation, expected.deviation);
    ASSERT_EQ(done.samples.size(), 2u);
    for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(done.samples[s].pixels, expected.samples[s].pixels);
    EXPECT_NE(done.samples[0].pixels, done.samples[1].pixels);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] == 0) continue;
      EXPECT_EQ(done.mean.pixels[3 * i], picture.pixels[3 * i]);
    }
  }
}

// A score beside the samples, on a thread of its own, is the same number as after them.
TEST(PublicCompletion, ScoresTheSameOnAnyNumberOfThreads) {
  const Model model = picture_model(1, Covariance::cholesky);
  const Picture picture = small_picture(8, 8, 1);
  completion::Puzzle puzzle;
  puzzle.seen = puzzle.truth = {8, 8, 1, picture.pixels, {}};
  for (const std::uint8_t one : every_third(picture)) puzzle.given.push_back(one != 0);
  puzzle.known.assign(64, 1);
  const auto run = [&](std::size_t threads) {
    return completion::complete(model, puzzle, {.samples = 3, .threads = threads, .score = true});
  };
  const completion::Completion one = run(1), three = run(3);
  EXPECT_EQ(one.log_likelihood, three.log_likelihood);
  EXPECT_EQ(one.samples, three.samples);
}

TEST(PublicCompletion, WhatIsNotGivenDoesNotMatter) {
  const Model model = picture_model(1);
  Picture picture = small_picture(6, 6, 1);
  const std::vector<std::uint8_t> given = every_third(picture);
  const CompletedPicture before = complete(model, picture, given, {.samples = 1});
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == 0) picture.pixels[i] = 123;
  }
  const CompletedPicture after = complete(model, picture, given, {.samples = 1});
  EXPECT_EQ(before.mean.pixels, after.mean.pixels);
  EXPECT_EQ(before.samples[0].pixels, after.samples[0].pixels);
}

TEST(PublicCompletion, MistakesAreRefused) {
  const Model grey = picture_model(1);
  const Picture picture = small_picture(6, 6, 1);
  const std::vector<std::uint8_t> given = every_third(picture);
  const auto kind = [&](const Model& model, const Picture& wrong, std::span<const std::uint8_t> mask,
                        const CompletionOptions& options = {}) {
    return error_kind([&] { complete(model, wrong, mask, options); });
  };
  EXPECT_EQ(kind(grey, picture, given), std::nullopt);
  EXPECT_EQ(kind(grey, picture, std::span(given).first(35)), ErrorKind::argument);
  EXPECT_EQ(kind(grey, {6, 6, 1, {1, 2}}, given), ErrorKind::argument);
  EXPECT_EQ(kind(grey, {6, 6, 2, picture.pixels}, given), ErrorKind::argument);
  EXPECT_EQ(kind(grey, {0, 6, 1, {}}, {}), ErrorKind::argument);
  EXPECT_EQ(kind(grey, {std::size_t{1} << 40, std::size_t{1} << 40, 1, {}}, {}), ErrorKind::argument);
  EXPECT_EQ(kind(grey, small_picture(6, 6, 3), given), ErrorKind::argument);
  EXPECT_EQ(kind(grey, picture, given, {.tile = 7}), ErrorKind::argument);
  EXPECT_EQ(kind(grey, picture, given, {.block = 0}), ErrorKind::argument);
  EXPECT_EQ(kind(runtime::make_model(lively_model(freedoms().at("base"), 1)), picture, given), ErrorKind::wrong_model);
}

}  // namespace
}  // namespace cmanp::testing
