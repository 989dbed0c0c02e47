// Image completion draws what the published protocol says: sizes, coordinates, values, order, splits, classes.
#include "training/tasks/image_task.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "images/make_pictures.hpp"
#include "images/pack.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "training/evaluation/evaluation_set.hpp"
#include "training/tasks/prefetcher.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;
using Json = nlohmann::ordered_json;

constexpr std::size_t kPictures = 40, kSide = 8;  // in each split

class ImageTaskTest : public ::testing::Test {
 protected:
  ImageTaskTest() {
    testing::write_idx_set(folder_ / "idx", kPictures, kSide);
    pack({}, "p.images");
  }

  std::filesystem::path pack(const images::DataOptions& options, const std::string& name) const {
    const auto source = images::open_source(folder_ / "idx", options);
    images::pack(*source, resolved(*source, options), folder_ / name);
    return folder_ / name;
  }

  ImageTask task(const ImageSettings& settings) const { return {images::PackedImages(folder_ / "p.images"), settings}; }

  testing::TemporaryFolder folder_;
};

// Row or column out of a coordinate, checked to be one.
std::int64_t pixel(float x) {
  const double index = (x + 1) / 2 * (kSide - 1);
  EXPECT_NEAR(index, std::round(index), 1e-5);
  return std::lround(index);
}

// The class of a picture would need its number, which only its first pixel tells: 0 to 39 train, 100 to 139 test.
std::set<int> numbers_of(const Batch& batch) {
  std::set<int> numbers;
  const torch::Tensor x = torch::cat({batch.xc, batch.xt}, 1), y = torch::cat({batch.yc, batch.yt}, 1);
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    for (std::int64_t i = 0; i < x.size(1); ++i) {
      if (x[b][i][0].item<float>() > -1 || x[b][i][1].item<float>() > -1) continue;
      numbers.insert(static_cast<int>(std::lround((y[b][i][0].item<float>() + 0.5) * 255)));
    }
  }
  return numbers;
}

TEST_F(ImageTaskTest, PointsAreDistinctPixelsWithTheirValues) {
  const ImageTask image_task = task({.batch = 6, .max_points = kSide * kSide + 1});
  EXPECT_EQ(image_task.dim_x(), 2);
  EXPECT_EQ(image_task.dim_y(), 1);
  EXPECT_EQ(image_task.range().low, -1);
  const images::Image image = testing::sample_image(kSide, kSide, 1);
  std::set<std::int64_t> seen;
  for (std::uint64_t step = 0; step < 40; ++step) {
    const Batch batch = image_task.training_batch(3, step);
    const torch::Tensor x = torch::cat({batch.xc, batch.xt}, 1), y = torch::cat({batch.yc, batch.yt}, 1);
    for (std::int64_t b = 0; b < x.size(0); ++b) {
      std::set<std::int64_t> pixels;
      for (std::int64_t i = 0; i < x.size(1); ++i) {
        const std::int64_t at = pixel(x[b][i][0].item<float>()) * kSide + pixel(x[b][i][1].item<float>());
        EXPECT_TRUE(pixels.insert(at).second) << "pixel " << at << " twice";
        if (at == 0) continue;                                                        // differs from picture to picture
        EXPECT_NEAR(y[b][i][0].item<float>(), image.pixels[at] / 255.0 - 0.5, 1e-6);  // x is the row, then the column
      }
      seen.insert(pixels.begin(), pixels.end());
    }
  }
  EXPECT_EQ(seen.size(), kSide * kSide);  // corners included: -1 and 1
}

// By the pictures' own pixels, looked up where a mirror and a shift bring them; evaluation's are as they are.
TEST_F(ImageTaskTest, TrainingPicturesMayBeMirroredAndMoved) {
  constexpr std::int64_t kShift = 2, kLast = kSide - 1;
  const ImageTask moved = task({.batch = 1, .max_points = 37, .extra_targets = 60, .mirror = true, .shift = kShift});
  const images::Image image = testing::sample_image(kSide, kSide, 1);
  std::set<std::tuple<bool, std::int64_t, std::int64_t>> views;
  for (std::uint64_t step = 0; step < 800; ++step) {
    const Batch batch = moved.training_batch(3, step);
    const torch::Tensor x = torch::cat({batch.xc, batch.xt}, 1), y = torch::cat({batch.yc, batch.yt}, 1);
    EXPECT_LE(x.size(1), 36);  // all that is seen however it is moved
    int explained = 0;
    for (const bool mirrored : {false, true}) {
      for (std::int64_t down = -kShift; down <= kShift; ++down) {
        for (std::int64_t across = -kShift; across <= kShift; ++across) {
          bool fits = true;
          for (std::int64_t i = 0; fits && i < x.size(1); ++i) {
            const std::int64_t row = pixel(x[0][i][0].item<float>()) - down;
            const std::int64_t column = pixel(x[0][i][1].item<float>()) - across;
            if (row < 0 || row > kLast || column < 0 || column > kLast) {
              fits = false;
              continue;
            }
            const std::int64_t at = row * static_cast<std::int64_t>(kSide) + (mirrored ? kLast - column : column);
            // The first pixel differs from picture to picture.
            fits = at == 0 || std::abs(y[0][i][0].item<float>() - (image.pixels[at] / 255.0 - 0.5)) < 1e-6;
          }
          if (fits) views.insert({mirrored, down, across});
          explained += fits ? 1 : 0;
        }
      }
    }
    EXPECT_GE(explained, 1) << "step " << step;
  }
  EXPECT_EQ(views.size(), 50U);
  const auto evaluated = [](const ImageTask& image_task) {
    Random random(5, Stream::evaluation, 0);
    return image_task.evaluation_batch(0, random).batch.yt;
  };
  EXPECT_TRUE(torch::equal(evaluated(moved), evaluated(task({.batch = 1, .max_points = 37}))));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "a shift of 3 leaves 25 pixels; max_points is 37",
                      error_message([&] { task({.max_points = 37, .shift = 3}); }));
}

TEST_F(ImageTaskTest, AContextOfAGivenSizeChangesNoTargets) {
  const auto batch_of = [&](std::int64_t context, std::size_t index) {
    Random random(5, Stream::evaluation, index);
    return task({.batch = 1, .max_points = 20, .context = context}).evaluation_batch(index, random).batch;
  };
  for (const std::size_t index : {0U, 1U}) {
    const Batch few = batch_of(4, index), many = batch_of(40, index);
    EXPECT_EQ(few.xc.size(1), 4);
    EXPECT_EQ(many.xc.size(1), 40);
    EXPECT_TRUE(torch::equal(few.xt, many.xt));
    EXPECT_TRUE(torch::equal(few.yt, many.yt));
    EXPECT_TRUE(torch::equal(few.xc, many.xc.narrow(1, 0, 4)));
  }
  EXPECT_NE(task({.max_points = 20, .context = 4}).name(), task({.max_points = 20}).name());
  EXPECT_NE(task({.max_points = 20, .context = 4}).training_batch(1, 0).xc.size(1), 0);  // training does not care
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "a context of 45 leaves too few of 64 pixels",
                      error_message([&] { task({.max_points = 20, .context = 45}); }));
}

TEST_F(ImageTaskTest, NumbersOfPointsAreThePublishedOnes) {
  const ImageTask plain = task({.batch = 1, .max_points = 20, .max_targets = 0});
  const ImageTask capped = task({.batch = 1, .max_points = 20, .max_targets = 5});
  const ImageTask more = task({.batch = 1, .max_points = 20, .max_targets = 0, .extra_targets = 60});
  std::map<std::int64_t, std::int64_t> most;  // targets, by context
  std::set<std::int64_t> capped_targets;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const Batch batch = plain.training_batch(1, step);
    const std::int64_t context = batch.xc.size(1), targets = batch.xt.size(1);
    EXPECT_GE(targets, 3);
    most[context] = std::max(most[context], targets);
    capped_targets.insert(capped.training_batch(1, step).xt.size(1));
    const Batch longer = more.training_batch(1, step);
    EXPECT_EQ(longer.xt.size(1), std::min<std::int64_t>(targets + 60, kSide * kSide - context));
  }
  EXPECT_EQ(most.begin()->first, 3);  // N in [3, P - 3), M in [3, P - N)
  EXPECT_EQ(most.rbegin()->first, 16);
  for (const auto& [context, targets] : most) EXPECT_EQ(targets, 19 - context);
  EXPECT_EQ(capped_targets, (std::set<std::int64_t>{3, 4}));
  // Evaluation has neither cap nor extra targets.
  std::int64_t longest = 0;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Random random(k, Stream::evaluation, 0), again(k, Stream::evaluation, 0);
    const Batch batch = capped.evaluation_batch(0, random).batch;
    EXPECT_TRUE(torch::equal(batch.xt, more.evaluation_batch(0, again).batch.xt));
    longest = std::max(longest, batch.xt.size(1));
  }
  EXPECT_GT(longest, 12);
}

TEST_F(ImageTaskTest, AnEpochTakesEveryTrainingPictureOnce) {
  const ImageTask image_task = task({.batch = 16, .max_points = kSide * kSide + 1, .max_targets = 0});
  EXPECT_EQ(image_task.training_pictures(), kPictures);
  for (const std::uint64_t seed : {5, 6}) {
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<std::int64_t> sizes;
      std::set<int> numbers;
      for (std::uint64_t step = 3 * epoch; step < 3 * epoch + 3; ++step) {
        const Batch batch = image_task.training_batch(seed, step);
        sizes.push_back(batch.xc.size(0));
        for (const int number : numbers_of(batch)) {
          EXPECT_LT(number, 100);                      // none of the test pictures
          EXPECT_TRUE(numbers.insert(number).second);  // none twice
        }
      }
      EXPECT_EQ(sizes, (std::vector<std::int64_t>{16, 16, 8}));  // the last batch is what is left
      EXPECT_GT(numbers.size(), 10U);
    }
  }
  const auto first = [&](std::uint64_t seed, std::uint64_t step) { return image_task.training_batch(seed, step).yc; };
  EXPECT_TRUE(torch::equal(first(5, 1), first(5, 1)));
  EXPECT_NE(first(5, 0).sizes(), first(5, 7).sizes());
}

TEST_F(ImageTaskTest, PrefetchedBatchesAreThoseOfTheirSteps) {
  const auto shared = std::make_shared<ImageTask>(images::PackedImages(folder_ / "p.images"),
                                                  ImageSettings{.batch = 16, .max_points = 30});
  Prefetcher batches(shared, 9, 4);
  for (std::uint64_t step = 4; step < 9; ++step) {
    const Batch ahead = batches.next(), wanted = shared->training_batch(9, step);
    EXPECT_TRUE(torch::equal(ahead.xc, wanted.xc) && torch::equal(ahead.yt, wanted.yt)) << step;
  }
}

TEST_F(ImageTaskTest, EvaluationGoesThroughTheTestPicturesInOrder) {
  const ImageTask image_task = task({.max_points = kSide * kSide + 1});
  EXPECT_EQ(image_task.evaluation_batches(), 3U);
  const EvaluationSet set = make_evaluation_set(image_task, {.batches = 100});
  ASSERT_EQ(set.batches.size(), 3U);
  EXPECT_EQ(set.batches[0].batch.xc.size(0), 16);
  EXPECT_EQ(set.batches[2].batch.xc.size(0), 8);
  for (int k = 0; k < 3; ++k) {
    for (const int number : numbers_of(set.batches[k].batch)) {
      EXPECT_GE(number, 100 + 16 * k);
      EXPECT_LT(number, 100 + 16 * (k + 1));
    }
  }
  const EvaluationSet again =
      cached_evaluation_set(task({.batch = 3, .max_points = kSide * kSide + 1}), {.cache = folder_ / "sets"});
  const EvaluationSet kept =
      cached_evaluation_set(task({.batch = 3, .max_points = kSide * kSide + 1}), {.cache = folder_ / "sets"});
  EXPECT_TRUE(torch::equal(again.batches[2].batch.yt, set.batches[2].batch.yt));  // whatever the training batch is
  EXPECT_TRUE(torch::equal(kept.batches[2].batch.yt, set.batches[2].batch.yt));
}

TEST_F(ImageTaskTest, ClassesAreLeftOut) {
  const ImageTask seen = task({.classes = "0-9", .max_points = 30}),
                  unseen = task({.classes = "10-46", .max_points = 30});
  EXPECT_EQ(seen.test_pictures(), 34U);  // 40 of classes 0 to 11 in turn
  EXPECT_EQ(unseen.test_pictures(), 6U);
  EXPECT_NE(seen.name(), unseen.name());
  for (const int number : numbers_of(make_evaluation_set(unseen, {}).batches[0].batch))
    EXPECT_GE((number - 100) % 12, 10);
  EXPECT_NE(error_message([&] { task({.classes = "50", .max_points = 30}); }).find("classes 50"), std::string::npos);
}

TEST_F(ImageTaskTest, ColoursComeTogetherAndNoiseIsAdded) {
  pack({.resolution = 5, .channels = 3}, "p.images");
  const ImageTask colour = task({.batch = 4, .max_points = 26});
  EXPECT_EQ(colour.dim_y(), 3);
  const Batch batch = colour.training_batch(0, 0);
  EXPECT_TRUE(torch::equal(batch.yc.select(2, 0), batch.yc.select(2, 2)));  // of a grey picture
  const Batch noisy = task({.batch = 4, .max_points = 26, .t_noise = -1}).training_batch(0, 0);
  EXPECT_EQ(noisy.xc.size(1), batch.xc.size(1));
  EXPECT_FALSE(torch::equal(noisy.yc.select(2, 0), noisy.yc.select(2, 2)));
}

TEST_F(ImageTaskTest, NonsenseIsRefused) {
  const auto message = [&](const ImageSettings& settings) { return error_message([&] { task(settings); }); };
  EXPECT_NE(message({}).find("max_points is 200; it is 7 to 65"), std::string::npos) << message({});
  EXPECT_NE(message({.batch = 0, .max_points = 30}).find("batch"), std::string::npos);
  EXPECT_NE(message({.max_points = 6}).find("max_points"), std::string::npos);
  EXPECT_NE(message({.max_points = 30, .max_targets = 3}).find("max_targets"), std::string::npos);
  EXPECT_NE(message({.max_points = 30, .t_noise = -2}).find("t_noise"), std::string::npos);
}

TEST_F(ImageTaskTest, SettingsHaveThePublishedValuesByResolution) {
  const auto settings = [&](Json document) {
    document["data"] = "nowhere";  // is not looked at where nothing is left open
    return parse_settings(document, "");
  };
  const Settings emnist = settings({{"task", "emnist"}});
  EXPECT_EQ(emnist.of_task["resolution"], 28);
  EXPECT_EQ(emnist.of_task["classes"], "0-9");
  EXPECT_EQ(emnist.batch, 100);
  EXPECT_EQ(emnist.max_points, 200);
  EXPECT_EQ(emnist.max_targets, 400);
  EXPECT_EQ(emnist.steps, 48000);
  EXPECT_TRUE(emnist.config.bound_std);
  const std::map<int, std::pair<int, int>> published{{32, {100, 200}}, {64, {50, 800}}, {128, {25, 1600}}};
  for (const auto& [resolution, sizes] : published) {
    const Settings celeba = settings({{"task", "celeba"}, {"resolution", resolution}});
    EXPECT_EQ(celeba.batch, sizes.first);
    EXPECT_EQ(celeba.max_points, sizes.second);
    EXPECT_EQ(celeba.config.dim_y, 3);
    EXPECT_EQ(celeba.of_task["classes"], "all");
    EXPECT_EQ(to_json(parse_settings(to_json(celeba), "")), to_json(celeba));
  }
  EXPECT_EQ(settings({{"task", "celeba"}, {"batch", 7}}).batch, 7);
  const Settings image = parse_settings({{"task", "image"}, {"data", (folder_ / "p.images").string()}}, "");
  EXPECT_EQ(image.of_task["resolution"], 8);
  EXPECT_EQ(image.of_task["channels"], 1);
  EXPECT_EQ(image.max_points, 65);
  EXPECT_EQ(make_task(image)->dim_y(), 1);
}

TEST_F(ImageTaskTest, SettingsSayWhatIsMissingOrWrong) {
  const auto message = [&](const Json& document) { return error_message([&] { parse_settings(document, ""); }); };
  EXPECT_NE(message({{"task", "emnist"}}).find("task emnist needs data"), std::string::npos);
  EXPECT_NE(message({{"task", "image"}, {"data", "nowhere"}}).find("nowhere"), std::string::npos);
  EXPECT_NE(message({{"task", "emnist"}, {"data", "d"}, {"classes", "x"}}).find("'x'"), std::string::npos);
  EXPECT_NE(message({{"task", "emnist"}, {"data", "d"}, {"channels", 2}}).find("channels"), std::string::npos);
  EXPECT_NE(message({{"task", "emnist"}, {"data", "d"}, {"resolution", 2}}).find("resolution 2"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::training
