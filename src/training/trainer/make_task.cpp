#include "training/trainer/make_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "images/class_ranges.hpp"
#include "images/pack.hpp"
#include "training/inducing_start.hpp"
#include "training/tasks/gp_task.hpp"
#include "training/tasks/image_task.hpp"
#include "training/tasks/wheel_task.hpp"

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
  const Asked truth = !s.exact_loss ? Asked::nothing : answers_jointly(s.model) ? Asked::jointly : Asked::each;
  return GpTask(GpSettings{s.kernel, s.variant, s.batch, s.max_points, s.extra_targets, s.t_noise, truth});
}

WheelTask make_wheel_task(const Settings& s) {
  WheelSettings wheel{s.variant, s.rewards, s.batch, s.max_points, s.max_targets};
  wheel.least_points = has_inducing_start(s.model) ? 0 : 1;  // those have an answer without any
  wheel.drop_y = s.drop_y;
  return WheelTask(wheel);
}

// As published, but for games that are as long as they are played.
void fill_in_wheel(Settings& s, const nlohmann::ordered_json& document) {
  const std::vector<std::string> keys = config_keys(s.model);
  const bool plain = std::find(keys.begin(), keys.end(), "dim_hid") != keys.end();
  const bool chosen = s.rewards == "chosen";
  if (!document.contains("batch")) s.batch = 8;
  if (!document.contains("max_points")) s.max_points = chosen ? 2048 : 512;
  if (!document.contains("max_targets")) s.max_targets = chosen ? 24 : 50;
  if (!document.contains("drop_y")) s.drop_y = chosen || plain ? 0 : 0.5;
  if (!document.contains("variant") && chosen) s.variant = "paper-text";
}

}  // namespace

bool is_image_task(const std::string& task) { return task != "gp" && task != "wheel"; }

images::DataOptions data_options(const Settings& s) {
  return {static_cast<std::size_t>(s.resolution), static_cast<std::size_t>(s.channels), s.transpose, s.test_share,
          static_cast<std::uint64_t>(s.split_seed)};
}

void fill_in_task(Settings& s, const nlohmann::ordered_json& document) {
  if (s.task == "wheel") fill_in_wheel(s, document);
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
  if (s.task == "wheel") {
    make_wheel_task(s);
    return;
  }
  if (s.task == "gp") {
    make_gp_task(s);
    return;
  }
  if (s.channels == 2) throw Error("channels must be 1 (grey) or 3 (colour), not 2");
  if (s.resolution < 3) throw Error(fmt::format("resolution {} leaves too few pixels; it is 3 or more", s.resolution));
  const images::ClassRanges classes(s.classes);
}

std::pair<std::int64_t, std::int64_t> task_dimensions(const Settings& s) {
  if (s.task == "wheel") return WheelTask::dimensions(s.rewards);
  return is_image_task(s.task) ? std::pair<std::int64_t, std::int64_t>{2, s.channels}
                               : std::pair<std::int64_t, std::int64_t>{1, 1};
}

std::pair<double, double> task_range(const Settings& s) {
  const Range range = s.task == "gp" ? GpTask::kX : WheelTask::kX;  // pictures lie as wheels do
  return {range.low, range.high};
}

bool knows_truth(const Settings& s) { return s.task == "gp" && s.t_noise == 0 && answers_with_normal(s.model); }

std::string published_task(const Settings& s) {
  if (!is_image_task(s.task)) return s.task;
  return s.channels == 1 ? "emnist" : "celeba";
}

std::shared_ptr<const Task> make_task(const Settings& s) {
  if (s.task == "wheel") return std::make_shared<WheelTask>(make_wheel_task(s));
  if (s.task == "gp") return std::make_shared<GpTask>(make_gp_task(s));
  return std::make_shared<ImageTask>(
      images::open_images(s.data, data_options(s)),
      ImageSettings{s.task, s.classes, s.batch, s.max_points, s.max_targets, s.extra_targets, s.t_noise});
}

}  // namespace cmanp::training
