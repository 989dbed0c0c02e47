#include "training/tasks/image_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "images/pixel_points.hpp"

namespace cmanp::training {
namespace {

constexpr std::int64_t kFewest = 3;      // points of context, and of targets
constexpr std::int64_t kMostShift = 16;  // pixels
constexpr std::size_t kEvaluationBatch = 16;
constexpr double kFreedom = 2.1;  // degrees of it, of Student's t

// A number of [0, n).
auto below(Random& random) {
  return [&random](std::size_t n) { return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(n))); };
}

// Pixels of a training picture that are seen however it is moved.
std::int64_t fewest_seen(const ImageSettings& settings, const images::PackedHeader& header) {
  const auto left = [&](std::size_t side) {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(side) - settings.shift);
  };
  return left(header.height) * left(header.width);
}

void check(const ImageSettings& settings, const images::PackedHeader& header) {
  const auto pixels = static_cast<std::int64_t>(header.height * header.width);
  if (settings.batch < 1) throw Error(fmt::format("batch is {}; a batch has at least one picture", settings.batch));
  if (settings.max_points <= 2 * kFewest || settings.max_points > pixels + 1) {
    throw Error(fmt::format("max_points is {}; it is {} to {}, one more than the pixels there are", settings.max_points,
                            2 * kFewest + 1, pixels + 1));
  }
  if (settings.max_targets != 0 && settings.max_targets <= kFewest) {
    throw Error(fmt::format("max_targets is {}; it is 0 or above {}", settings.max_targets, kFewest));
  }
  if (settings.shift < 0 || settings.shift > kMostShift) {
    throw Error(fmt::format("shift is {}; it is 0 to {} pixels", settings.shift, kMostShift));
  }
  if (settings.max_points > fewest_seen(settings, header) + 1) {
    throw Error(fmt::format("a shift of {} leaves {} pixels; max_points is {}", settings.shift,
                            fewest_seen(settings, header), settings.max_points));
  }
  if (settings.extra_targets < 0)
    throw Error(fmt::format("extra_targets is {}; it is 0 or more", settings.extra_targets));
  if (!std::isfinite(settings.t_noise) || (settings.t_noise < 0 && settings.t_noise != -1)) {
    throw Error(fmt::format("t_noise is {}; it is a factor from 0 on, or -1 for one drawn anew for every pixel",
                            settings.t_noise));
  }
  if (settings.context != 0 && (settings.context < 0 || settings.context > pixels - settings.max_points)) {
    throw Error(fmt::format("a context of {} leaves too few of {} pixels for targets; it is {} at most",
                            settings.context, pixels, pixels - settings.max_points));
  }
}

}  // namespace

ImageTask::ImageTask(images::PackedImages images, const ImageSettings& settings)
    : images_(std::move(images)), settings_(settings) {
  const images::PackedHeader& header = images_.header();
  check(settings, header);
  const images::ClassRanges classes(settings.classes);
  for (std::size_t i = 0; i < header.count; ++i) {
    if (!classes.all() && !classes.contains(images_.label(i))) continue;
    (images_.split(i) == images::Split::test ? test_ : training_).push_back(static_cast<std::uint32_t>(i));
  }
  if (test_.empty()) {
    throw Error(
        fmt::format("none of the {} pictures is for testing and of classes {}", header.count, settings.classes));
  }
}

// The training batch is not part of it: evaluation sets do not depend on it.
std::string ImageTask::name() const {
  const images::PackedHeader& header = images_.header();
  const std::string noise = settings_.t_noise == 0 ? "" : fmt::format("-t{}", settings_.t_noise);
  const std::string context = settings_.context == 0 ? "" : fmt::format("-n{}", settings_.context);
  return fmt::format("{}-{}x{}x{}-{}-{}{}{}-{}", settings_.name, header.height, header.width, header.channels,
                     settings_.classes, settings_.max_points, noise, context, header.checksum.substr(0, 8));
}

std::int64_t ImageTask::draw_targets(std::int64_t context, Random& random, bool training) const {
  std::int64_t end = settings_.max_points - context;
  if (!training) return random.integer(kFewest, end);
  if (settings_.max_targets > 0) end = std::min(end, settings_.max_targets);
  const std::int64_t targets = random.integer(kFewest, end) + settings_.extra_targets;
  return std::min(targets, fewest_seen(settings_, images_.header()) - context);
}

// What is at a place of the picture as it is looked at.
struct ImageTask::View {
  bool mirrored = false;
  std::int64_t down = 0, across = 0;  // by how much it was moved

  // The pixel of the picture itself that is seen in this one, or nothing: it was moved in from outside.
  std::optional<std::size_t> pixel(std::size_t place, std::size_t height, std::size_t width) const {
    const std::int64_t row = static_cast<std::int64_t>(place / width) - down;
    const std::int64_t column = static_cast<std::int64_t>(place % width) - across;
    if (row < 0 || row >= static_cast<std::int64_t>(height) || column < 0 || column >= static_cast<std::int64_t>(width))
      return std::nullopt;
    const auto from_left = static_cast<std::size_t>(column);
    return static_cast<std::size_t>(row) * width + (mirrored ? width - 1 - from_left : from_left);
  }

  // Where something of the picture is seen.
  std::vector<std::uint32_t> places(std::size_t height, std::size_t width) const {
    std::vector<std::uint32_t> seen;
    for (std::uint32_t place = 0; place < height * width; ++place) {
      if (pixel(place, height, width)) seen.push_back(place);
    }
    return seen;
  }
};

ImageTask::View ImageTask::draw_view(Random& random, bool training) const {
  View view;
  if (!training) return view;
  if (settings_.mirror) view.mirrored = random.integer(0, 2) == 1;
  if (settings_.shift > 0) {
    view.down = random.integer(-settings_.shift, settings_.shift + 1);
    view.across = random.integer(-settings_.shift, settings_.shift + 1);
  }
  return view;
}

float ImageTask::draw_noise(Random& random) const {
  const double factor = settings_.t_noise == -1 ? 0.09 * random.uniform() : settings_.t_noise;
  return static_cast<float>(factor * random.student_t(kFreedom));
}

Batch ImageTask::sample(std::span<const std::uint32_t> pictures, Random& random, bool training) const {
  const auto& [height, width, channels] =
      std::tuple(images_.header().height, images_.header().width, images_.header().channels);
  const bool fixed = !training && settings_.context > 0;
  const std::int64_t drawn = random.integer(kFewest, settings_.max_points - kFewest);
  const std::int64_t context = fixed ? settings_.context : drawn;
  const std::int64_t targets = fixed ? drawn : draw_targets(context, random, training), count = context + targets;
  torch::Tensor x = torch::empty({static_cast<std::int64_t>(pictures.size()), count, dim_x()});
  torch::Tensor y = torch::empty({static_cast<std::int64_t>(pictures.size()), count, dim_y()});
  float* out_x = x.data_ptr<float>();
  float* out_y = y.data_ptr<float>();
  std::vector<std::uint32_t> order(height * width);
  std::iota(order.begin(), order.end(), 0U);
  for (const std::uint32_t picture : pictures) {
    const std::span<const std::uint8_t> pixels = images_.pixels(picture);
    const View view = draw_view(random, training);
    if (training && settings_.shift > 0) order = view.places(height, width);
    // A context of a given size comes after its targets, and all pixels are drawn: targets do not depend on it.
    images::draw_to_front(order, fixed ? order.size() : static_cast<std::size_t>(count), below(random));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      *out_x++ = static_cast<float>(images::pixel_coordinate(order[i] / width, height));
      *out_x++ = static_cast<float>(images::pixel_coordinate(order[i] % width, width));
      const std::size_t pixel = *view.pixel(order[i], height, width);
      for (std::size_t c = 0; c < channels; ++c) {
        const auto value = static_cast<float>(images::pixel_value(pixels[pixel * channels + c]));
        *out_y++ = settings_.t_noise == 0 ? value : value + draw_noise(random);
      }
    }
  }
  images_.check_unchanged();
  const auto part = [](const torch::Tensor& all, std::int64_t begin, std::int64_t end) {
    return all.slice(1, begin, end).contiguous();
  };
  if (fixed) return {part(x, targets, count), part(y, targets, count), part(x, 0, targets), part(y, 0, targets)};
  return {part(x, 0, context), part(y, 0, context), part(x, context, count), part(y, context, count)};
}

Batch ImageTask::next(Random& random) const {
  return training_batch(static_cast<std::uint64_t>(random.integer(0, std::int64_t{1} << 50)), 0);
}

// An epoch takes every picture once; its last batch may be smaller.
Batch ImageTask::training_batch(std::uint64_t seed, std::uint64_t step) const {
  if (training_.empty()) throw Error(fmt::format("{} has pictures for testing only", name()));
  const auto batch = static_cast<std::size_t>(settings_.batch);
  const std::size_t steps = (training_.size() + batch - 1) / batch, begin = step % steps * batch;
  const std::shared_ptr<const Pictures> order = epoch_order(seed, step / steps);
  Random random(seed, Stream::training, step);
  return sample(std::span(*order).subspan(begin, std::min(batch, order->size() - begin)), random, true);
}

std::shared_ptr<const ImageTask::Pictures> ImageTask::epoch_order(std::uint64_t seed, std::uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  if (!order_ || order_seed_ != seed || order_epoch_ != epoch) {
    auto order = std::make_shared<Pictures>(training_);
    Random random(seed, Stream::order, epoch);
    images::draw_to_front(*order, order->size(), below(random));
    order_ = std::move(order);
    order_seed_ = seed;
    order_epoch_ = epoch;
  }
  return order_;
}

std::size_t ImageTask::evaluation_batches() const { return (test_.size() + kEvaluationBatch - 1) / kEvaluationBatch; }

EvaluationBatch ImageTask::evaluation_batch(std::size_t index, Random& random) const {
  const std::size_t begin = index * kEvaluationBatch;
  if (begin >= test_.size()) throw Error(fmt::format("{} has {} pictures for testing", name(), test_.size()));
  return {sample(std::span(test_).subspan(begin, std::min(kEvaluationBatch, test_.size() - begin)), random, false),
          std::nullopt};
}

}  // namespace cmanp::training
