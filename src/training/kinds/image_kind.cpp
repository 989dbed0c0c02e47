#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "images/class_ranges.hpp"
#include "images/pack.hpp"
#include "training/kinds/kinds.hpp"
#include "training/tasks/image_task.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

struct ImageKeys {
  std::string data;
  std::int64_t resolution = 0;
  std::int64_t channels = 0;
  std::string classes;
  bool transpose = false;
  double test_share = 0.1;
  std::int64_t split_seed = 0;
  bool mirror = false;
  std::int64_t shift = 0;
};

const KeyTable<ImageKeys>& image_keys() {
  static const KeyTable<ImageKeys> table({
      {"data",
       &ImageKeys::data,
       "Pictures: a folder (IDX, CIFAR-10, CelebA, JPEG, PNG) or a packed file",
       0,
       0,
       {},
       true},
      {"resolution", &ImageKeys::resolution, "Pixels a side of a picture; 0: as the data have it", 0, 1024},
      {"channels", &ImageKeys::channels, "1: grey, 3: colour; 0: as the task or the data have it", 0, 3},
      {"classes", &ImageKeys::classes, "Classes of pictures, such as 0-9 (emnist's default) or all"},
      {"transpose", &ImageKeys::transpose, "Turn rows into columns, as the official EMNIST files need"},
      {"test_share", &ImageKeys::test_share, "Share of pictures to test on, where data have no such split", 0, 1},
      {"split_seed", &ImageKeys::split_seed, "Decides which those are"},
      {"mirror", &ImageKeys::mirror, "Train on every other picture as a mirror shows it"},
      {"shift", &ImageKeys::shift, "Train on pictures moved by up to so many pixels, down and across", 0, 16},
  });
  return table;
}

constexpr std::int64_t kEmnistSteps = 48000, kCelebaSteps = 365400;  // 200 epochs of the whole data in batches of 100
constexpr std::int64_t kMostTrainingTargets = 400;

// Published by resolution: pictures in a batch, and points.
struct Sizes {
  std::int64_t batch, max_points;
};

// Of pictures that are moved, `side` pixels down and across are seen however they are.
Sizes sizes_of(std::int64_t resolution, std::int64_t side) {
  if (resolution <= 32) return {100, std::min<std::int64_t>(200, side * side + 1)};
  return resolution <= 64 ? Sizes{50, 800} : Sizes{25, 1600};
}

ImageKeys image_keys_of(const Settings& settings) { return image_keys().read(settings.of_task); }

images::DataOptions data_options(const ImageKeys& own, const Settings& settings) {
  return {static_cast<std::size_t>(own.resolution),
          static_cast<std::size_t>(own.channels),
          own.transpose,
          own.test_share,
          static_cast<std::uint64_t>(own.split_seed),
          settings.cache};
}

images::PackedImages open_pictures(const Settings& settings, const images::PackEvents& events = {}) {
  const ImageKeys own = image_keys_of(settings);
  return images::open_images(own.data, data_options(own, settings), events);
}

std::shared_ptr<const Task> make_image(const Settings& s) {
  const ImageKeys own = image_keys_of(s);
  return std::make_shared<ImageTask>(
      open_pictures(s), ImageSettings{s.task, own.classes, s.batch, s.max_points, s.max_targets, s.extra_targets,
                                      s.t_noise, s.context, own.mirror, own.shift});
}

void check_pictures(const Settings& settings) {
  const ImageKeys own = image_keys_of(settings);
  if (own.channels == 2) throw Error("channels must be 1 (grey) or 3 (colour), not 2");
  if (own.resolution < 3) {
    throw Error(fmt::format("resolution {} leaves too few pixels; it is 3 or more", own.resolution));
  }
  const images::ClassRanges classes(own.classes);
}

// Relative coordinates over a grid of 121 latents that know besides where in a picture they lie: what was found on
// faces and on clothes (docs/recipe.md).
nlohmann::ordered_json pictures() {
  return {{"task", "image"},
          {"coordinates", "relative"},
          {"absolute_features", true},
          {"spacing", 0.25},
          {"init", "published"},
          {"fourier_features", 0},
          {"distinct_layers", false},
          {"num_layers", 3},
          {"bound_std", true},
          {"least_std", 0.02},
          {"train_block_size", 10},
          {"batch", 16},
          {"lr", 4e-3},
          {"ema", 0.998},
          {"shift", 1},
          {"context_targets", false},
          {"extra_targets", 200},
          {"steps", 20000}};
}

}  // namespace

TaskKind image_kind(const std::string& name, std::int64_t channels, std::int64_t side) {
  const bool emnist = name == "emnist";
  TaskKind kind;
  kind.name = name;
  kind.summary = emnist ? "to complete pictures of digits and letters" : "to complete pictures";
  kind.family = "pictures";
  kind.keys = own_keys(image_keys());
  kind.places = {"data"};
  kind.make = make_image;
  kind.dimensions = [](const Settings& s) {
    return std::pair<std::int64_t, std::int64_t>{2, image_keys_of(s).channels};
  };
  kind.fill_in = [=](Settings& s, const nlohmann::ordered_json& document) {
    ImageKeys own = image_keys_of(s);
    if (own.data.empty()) {
      throw Error(
          fmt::format("task {} needs data: a folder of pictures or a file that `cmanp data pack` made", s.task));
    }
    if (own.channels == 0) own.channels = channels;
    if (own.resolution == 0) own.resolution = side;
    if (own.classes.empty()) own.classes = emnist ? "0-9" : "all";
    if (own.resolution == 0 || own.channels == 0) {
      const images::DataOptions whole = images::resolved(own.data, data_options(own, s));
      own.resolution = static_cast<std::int64_t>(whole.resolution);
      own.channels = static_cast<std::int64_t>(whole.channels);
    }
    const Sizes sizes = sizes_of(own.resolution, std::max<std::int64_t>(0, own.resolution - own.shift));
    if (!document.contains("batch")) s.batch = sizes.batch;
    if (!document.contains("max_points")) s.max_points = sizes.max_points;
    if (!document.contains("max_targets")) s.max_targets = kMostTrainingTargets;
    if (!document.contains("steps")) s.steps = name == "celeba" ? kCelebaSteps : kEmnistSteps;
    s.of_task = image_keys().to_json(own);
  };
  kind.check = check_pictures;
  kind.model_sizes = [](const Settings& s) {
    return default_config(s.model, image_keys_of(s).channels == 1 ? "emnist" : "celeba");
  };
  kind.prepare = [](const Settings& s, const images::PackEvents& events) { open_pictures(s, events); };
  kind.evaluation = {
      .flags = {"data", "classes", "resolution", "transpose", "t_noise"},
      .inherited = {"data", "resolution", "channels", "transpose", "test_share", "split_seed", "max_points"},
      .each = "classes",
      .usual = emnist ? std::vector<std::string>{"0-9", "10-46"} : std::vector<std::string>{"all"},
      .told = {"classes", "resolution"},
      .fixed_context = true};
  if (name == "image") kind.presets = {{"pictures", pictures()}};
  kind.knows = [](const Settings& s) {
    const ImageKeys own = image_keys_of(s);
    return nlohmann::ordered_json{{"x", {{-1, 1}, {-1, 1}}},
                                  {"prior", fmt::format("pictures of {}x{}", own.resolution, own.resolution)}};
  };
  return kind;
}

}  // namespace cmanp::training
