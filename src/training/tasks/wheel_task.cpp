#include "training/tasks/wheel_task.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

#include "training/tasks/wheel_history.hpp"

namespace cmanp::training {
namespace {

using bandit::NumpyRandom;
using bandit::Wheel;

constexpr auto kArms = static_cast<std::int64_t>(Wheel::kArms), kFeatures = static_cast<std::int64_t>(Wheel::kFeatures);
constexpr std::int64_t kFixedProblems = 8;

// The wheel draws by NumPy's generator; which stream of it is this task's random choice.
NumpyRandom numpy_random(Random& random) {
  return NumpyRandom(static_cast<std::uint32_t>(random.integer(1, std::int64_t{1} << 32)));
}

torch::Tensor empty(std::int64_t tasks, std::int64_t points, std::int64_t width) {
  return torch::empty({tasks, points, width});
}

// Copies numbers into a tensor's memory from `to` on, and gives where the next go.
template <class Numbers>
float* put(const Numbers& numbers, float* to) {
  for (const double number : numbers) *to++ = static_cast<float>(number);
  return to;
}

}  // namespace

WheelTask::WheelTask(const WheelSettings& settings) : settings_(settings) {
  if (settings.batch < 1) throw Error(fmt::format("batch is {}; a batch has at least one task", settings.batch));
  if (settings.max_points < 1) throw Error("max_points is 0; a game of the wheel has at least one round");
  if (settings.max_targets < 1) throw Error("max_targets is 0; a task of the wheel has at least one target");
  if (!(settings.drop_y >= 0 && settings.drop_y <= 1)) throw Error("drop_y is a share, from 0 to 1");
  const bool fixed = settings.variant == "paper-code";
  if (!fixed && settings.variant != "paper-text" && settings.variant != "rim") {
    throw Error(fmt::format("variant '{}' is unknown; there are paper-code, paper-text and rim", settings.variant));
  }
  if (settings.rewards == "chosen" && fixed) {
    throw Error("rewards chosen draws every game anew: use variant paper-text or rim");
  }
  if (settings.rewards != "chosen" && settings.rewards != "all") {
    throw Error(fmt::format("rewards '{}' are unknown; there are all and chosen", settings.rewards));
  }
  if (!fixed) return;
  if (settings.batch != kFixedProblems) {
    throw Error(fmt::format("batch is {}; variant paper-code has {} fixed problems", settings.batch, kFixedProblems));
  }
  const torch::Tensor deltas = torch::rand({kFixedProblems}, at::detail::createCPUGenerator(0));
  for (std::int64_t i = 0; i < kFixedProblems; ++i) {
    fixed_.push_back(bandit::published_wheel(static_cast<std::size_t>(settings.max_points + settings.max_targets),
                                             static_cast<double>(deltas[i].item<float>()),
                                             static_cast<std::uint32_t>(i)));
  }
}

std::string WheelTask::name() const {
  return fmt::format("wheel-{}-{}-{}+{}x{}", settings_.variant, settings_.rewards, settings_.max_points,
                     settings_.max_targets, settings_.batch);
}

std::pair<std::int64_t, std::int64_t> WheelTask::dimensions(const std::string& rewards) {
  if (rewards == "chosen") return {kFeatures + kArms, 1};
  return {kFeatures, kArms};
}

// Contexts with the arm of their quadrant, which says something about delta, and now and then with another.
torch::Tensor WheelTask::places() const {
  if (settings_.rewards != "chosen") return {};
  constexpr std::size_t kPlaces = 256;
  NumpyRandom numbers(1);
  const std::vector<double> contexts = bandit::draw_contexts(kPlaces, numbers);
  torch::Tensor places = torch::zeros({kPlaces, dim_x()});
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const std::span<const double> context(&contexts[i * Wheel::kFeatures], Wheel::kFeatures);
    float* row = places[static_cast<std::int64_t>(i)].data_ptr<float>();
    put(context, row);
    row[Wheel::kFeatures + (i % 4 == 3 ? i / 4 % Wheel::kArms : bandit::quadrant_arm(context))] = 1;
  }
  return places;
}

double WheelTask::draw_delta(Random& random) const {
  const bool close = settings_.variant == "rim" && random.uniform() < 0.5;
  return close ? 1 - std::pow(10, -3 * random.uniform()) : random.uniform();
}

Batch WheelTask::next(Random& random) const {
  return settings_.rewards == "chosen" ? chosen_rewards(random) : all_rewards(random, true);
}

// Problems that no training has seen, with all rewards known.
EvaluationBatch WheelTask::next_for_evaluation(Random& random) const {
  return {settings_.rewards == "chosen" ? chosen_rewards(random) : all_rewards(random, false), std::nullopt};
}

Batch WheelTask::all_rewards(Random& random, bool training) const {
  const std::int64_t context = settings_.max_points, targets = settings_.max_targets, points = context + targets;
  torch::Tensor x = empty(settings_.batch, points, kFeatures), y = empty(settings_.batch, points, kArms);
  float* to_x = x.data_ptr<float>();
  float* to_y = y.data_ptr<float>();
  const bool fixed = training && !fixed_.empty();
  for (std::int64_t task = 0; task < settings_.batch; ++task) {
    Wheel drawn;
    if (!fixed) {
      NumpyRandom numbers = numpy_random(random);
      drawn = bandit::draw_wheel(static_cast<std::size_t>(points), draw_delta(random), numbers);
    }
    const Wheel& wheel = fixed ? fixed_[static_cast<std::size_t>(task)] : drawn;
    to_x = put(wheel.contexts, to_x);
    to_y = put(wheel.rewards, to_y);
  }
  Batch batch{x.narrow(1, 0, context).contiguous(), y.narrow(1, 0, context).contiguous(),
              x.narrow(1, context, targets).contiguous(), y.narrow(1, context, targets).contiguous()};
  if (!training || settings_.drop_y == 0) return batch;
  batch.yc_without_noise = batch.yc.clone();
  float* rewards = batch.yc.data_ptr<float>();
  for (std::int64_t i = 0; i < batch.yc.numel(); ++i) {
    if (random.uniform() < settings_.drop_y) rewards[i] = static_cast<float>(random.normal());
  }
  return batch;
}

// All tasks of a batch share the number of rounds. Half of the batches have any number, from which there is most to
// learn; half are spread over the logarithm, as one who plays has been through all short games, too.
std::int64_t WheelTask::draw_rounds(Random& random) const {
  const auto most = static_cast<double>(settings_.max_points + 1);
  const double drawn =
      random.uniform() < 0.5 ? most * random.uniform() : std::exp(std::log(most + 1) * random.uniform()) - 1;
  return std::clamp(static_cast<std::int64_t>(drawn), settings_.least_points, settings_.max_points);
}

Batch WheelTask::chosen_rewards(Random& random) const {
  const std::int64_t rounds = draw_rounds(random);
  const std::int64_t targets = settings_.max_targets * kArms;
  Batch batch{empty(settings_.batch, rounds, dim_x()), empty(settings_.batch, rounds, 1),
              empty(settings_.batch, targets, dim_x()), empty(settings_.batch, targets, 1)};
  const auto start = [](const torch::Tensor& tensor) { return tensor.data_ptr<float>(); };
  float *xc = start(batch.xc), *yc = start(batch.yc), *xt = start(batch.xt), *yt = start(batch.yt);
  for (std::int64_t task = 0; task < settings_.batch; ++task) {
    NumpyRandom numbers = numpy_random(random);
    const double delta = draw_delta(random);
    WheelHistory history(delta, numbers);
    for (std::int64_t round = 0; round < rounds; ++round) history.play();
    for (std::int64_t target = 0; target < settings_.max_targets; ++target) history.ask();
    const auto put_points = [](const std::vector<WheelPoint>& points, float*& x, float*& y) {
      for (const WheelPoint& point : points) {
        x = put(point.context, x);
        for (std::size_t arm = 0; arm < Wheel::kArms; ++arm) *x++ = arm == point.arm ? 1 : 0;
        *y++ = static_cast<float>(bandit::learnt_reward(point.reward));
      }
    };
    put_points(history.played(), xc, yc);
    put_points(history.asked(), xt, yt);
  }
  return batch;
}

}  // namespace cmanp::training
