#include "training/tasks/signals_task.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>

namespace cmanp::training {
namespace {

// Numbers of points are log-uniform from this many more on: as many below ten as in the tens and the hundreds.
constexpr double kFewPoints = 4;
constexpr std::int64_t kMostPoints = 20000;  // a task's covariance would have 3 GB

// Fowler, Noll and Vo: the same everywhere, for names of files.
std::uint64_t digest(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

void put(std::vector<double>::const_iterator from, std::int64_t count, const torch::Tensor& to) {
  float* out = to.data_ptr<float>();
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(from[i]);
}

}  // namespace

SignalsTask::SignalsTask(const SignalsSettings& settings)
    : settings_(settings), kinds_(parse_kernels(settings.prior.kernels)) {
  check_prior(settings.prior);
  if (settings.batch < 1) throw Error(fmt::format("batch is {}; a batch has at least one task", settings.batch));
  const std::int64_t targets = settings.targets + settings.extra_targets;
  if (settings.targets < 1 || settings.max_points <= targets + settings.least_points ||
      settings.max_points > kMostPoints) {
    throw Error(
        fmt::format("max_points is {}; it is more than {} targets and the fewest context points, {}, and {} at "
                    "most",
                    settings.max_points, targets, settings.least_points, kMostPoints));
  }
}

std::string SignalsTask::name() const {
  nlohmann::ordered_json decisive = signal_keys().to_json(settings_.prior);
  decisive.erase("exact_loss");
  decisive["least_points"] = settings_.least_points;
  return fmt::format("signals-{:016x}-{}+{}x{}", digest(decisive.dump()), settings_.max_points, settings_.targets,
                     settings_.batch);
}

std::size_t SignalsTask::draw_count(Random& random) const {
  const auto least = static_cast<double>(settings_.least_points);
  const auto most = static_cast<double>(settings_.max_points - settings_.targets - settings_.extra_targets);
  return static_cast<std::size_t>(log_uniform(least + kFewPoints, most + kFewPoints, random) - kFewPoints);
}

Signal SignalsTask::draw_one(std::size_t observed, std::size_t asked, Random& random) const {
  const Beyond beyond = draw_beyond(settings_.prior, random);
  return draw_signal(settings_.prior, kinds_, {observed, asked, false}, beyond, random);
}

EvaluationBatch SignalsTask::sample(Random& random, bool for_evaluation) const {
  const std::int64_t tasks = settings_.batch, context = static_cast<std::int64_t>(draw_count(random));
  const std::int64_t targets = settings_.targets + (for_evaluation ? 0 : settings_.extra_targets);
  const Beyond beyond = draw_beyond(settings_.prior, random);
  const bool truth = settings_.truth != Asked::nothing && !for_evaluation;
  const bool jointly = truth && settings_.truth == Asked::jointly;
  Batch batch{torch::empty({tasks, context, 1}), torch::empty({tasks, context, 1}), torch::empty({tasks, targets, 1}),
              torch::empty({tasks, targets, 1})};
  if (truth) batch.truth = {torch::empty({tasks, targets, 1}), torch::empty({tasks, targets, 1}), {}};
  if (jointly) batch.truth.covariance = torch::empty({tasks, targets, targets});
  Limits sum;
  for (std::int64_t task = 0; task < tasks; ++task) {
    const Signal signal =
        draw_signal(settings_.prior, kinds_,
                    {static_cast<std::size_t>(context), static_cast<std::size_t>(targets), jointly}, beyond, random);
    put(signal.places.observed.begin(), context, batch.xc[task]);
    put(signal.observed.begin(), context, batch.yc[task]);
    put(signal.places.asked.begin(), targets, batch.xt[task]);
    put(signal.asked.begin(), targets, batch.yt[task]);
    if (truth) put(signal.mean.begin(), targets, batch.truth.mean[task]);
    if (truth) put(signal.variance.begin(), targets, batch.truth.variance[task]);
    if (jointly) put(signal.covariance.begin(), targets * targets, batch.truth.covariance[task]);
    if (!settings_.prior.only_gaussian) continue;
    sum.joint += signal.limits->joint;
    sum.marginal += signal.limits->marginal;
  }
  EvaluationBatch result{batch, std::nullopt};
  const auto count = static_cast<double>(tasks);
  if (for_evaluation && settings_.prior.only_gaussian) result.limits = {sum.joint / count, sum.marginal / count};
  return result;
}

}  // namespace cmanp::training
