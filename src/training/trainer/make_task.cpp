#include "training/trainer/make_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "images/class_ranges.hpp"
#include "images/pack.hpp"
#include "training/tasks/gp_task.hpp"
#include "training/tasks/image_task.hpp"

namespace cmanp::training {
namespace {

constexpr std::int64_t kEmnistSide = 28, kCelebaSide = 32;
constexpr std::int64_t kEmnistSteps = 48000, kCelebaSteps = 365400;  // 200 epochs of the whole data in batches of 100
constexpr std::int64_t kMostTrainingTargets = 400;

// Published by resolution: pictures in a batch, and points.
struct Sizes {
  std::int64_t batch, max_points;
};

Sizes sizes_of(std::int64_t resolution) {
  if (resolution <= 32) return {100, std::min<std::int64_t>(200, resolution * resolution + 1)};
  return resolution <= 64 ? Sizes{50, 800} : Sizes{25, 1600};
}

GpTask make_gp_task(const Settings& s) {
  return GpTask(GpSettings{s.kernel, s.variant, s.batch, s.max_points, s.extra_targets, s.t_noise});
}

}  // namespace

bool is_image_task(const std::string& task) { return task != "gp"; }

images::DataOptions data_options(const Settings& s) {
  return {static_cast<std::size_t>(s.resolution), static_cast<std::size_t>(s.channels), s.transpose, s.test_share,
          static_cast<std::uint64_t>(s.split_seed)};
}

void fill_in_task(Settings& s, const nlohmann::ordered_json& document) {
  if (!is_image_task(s.task)) return;
  if (s.data.empty()) {
    throw Error(fmt::format("task {} needs data: a folder of pictures or a file that `cmanp data pack` made", s.task));
  }
  if (s.task == "emnist" && s.channels == 0) s.channels = 1;
  if (s.task == "celeba" && s.channels == 0) s.channels = 3;
  if (s.task == "emnist" && s.resolution == 0) s.resolution = kEmnistSide;
  if (s.task == "celeba" && s.resolution == 0) s.resolution = kCelebaSide;
  if (s.classes.empty()) s.classes = s.task == "emnist" ? "0-9" : "all";
  if (s.resolution == 0 || s.channels == 0) {
    const images::DataOptions whole = images::resolved(s.data, data_options(s));
    s.resolution = static_cast<std::int64_t>(whole.resolution);
    s.channels = static_cast<std::int64_t>(whole.channels);
  }
  const Sizes sizes = sizes_of(s.resolution);
  if (!document.contains("batch")) s.batch = sizes.batch;
  if (!document.contains("max_points")) s.max_points = sizes.max_points;
  if (!document.contains("max_targets")) s.max_targets = kMostTrainingTargets;
  if (!document.contains("steps")) s.steps = s.task == "celeba" ? kCelebaSteps : kEmnistSteps;
}

void check_task(const Settings& s) {
  if (!is_image_task(s.task)) {
    make_gp_task(s);
    return;
  }
  if (s.channels == 2) throw Error("channels must be 1 (grey) or 3 (colour), not 2");
  if (s.resolution < 3) throw Error(fmt::format("resolution {} leaves too few pixels; it is 3 or more", s.resolution));
  const images::ClassRanges classes(s.classes);
}

std::pair<std::int64_t, std::int64_t> task_dimensions(const Settings& s) {
  return is_image_task(s.task) ? std::pair<std::int64_t, std::int64_t>{2, s.channels}
                               : std::pair<std::int64_t, std::int64_t>{1, 1};
}

std::string published_task(const Settings& s) {
  if (!is_image_task(s.task)) return s.task;
  return s.channels == 1 ? "emnist" : "celeba";
}

std::shared_ptr<const Task> make_task(const Settings& s) {
  if (!is_image_task(s.task)) return std::make_shared<GpTask>(make_gp_task(s));
  return std::make_shared<ImageTask>(
      images::open_images(s.data, data_options(s)),
      ImageSettings{s.task, s.classes, s.batch, s.max_points, s.max_targets, s.extra_targets, s.t_noise});
}

}  // namespace cmanp::training
