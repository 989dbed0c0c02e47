#include "training/tasks/gp_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <span>

namespace cmanp::training {
namespace {

constexpr std::int64_t kFewestPoints = 3;  // of context, and of targets
constexpr Range kScale{0.1, 1.0};
constexpr Range kPeriod{0.1, 0.5};
constexpr double kDegreesOfFreedom = 2.1;

Kernel kernel_of(const std::string& name) {
  if (name == "rbf") return Kernel::rbf;
  if (name == "matern") return Kernel::matern;
  if (name == "periodic") return Kernel::periodic;
  throw Error(fmt::format("kernel '{}' is unknown; there are rbf, matern and periodic", name));
}

// The published numbers come from the code's lengths; the text states longer ones. Who believes in no length below 0.1
// is too sure of functions of another kernel: docs/recipe.md has what that costs.
Range length_of(const std::string& variant) {
  if (variant == "paper-code") return {0.1, 0.6};
  if (variant == "paper-text") return {0.6, 1.0};
  if (variant == "wide" || variant == "sums") return {0.05, 0.6};
  throw Error(fmt::format("variant '{}' is unknown; there are paper-code, paper-text, wide and sums", variant));
}

// Of `sums`: every other function has a rougher part, so that a model knows functions of more than one length, as
// those of other kernels are. The part's length is a share of the function's, which is not among the shortest then.
constexpr Range kLengthOfSum{0.1, 0.8};
constexpr Range kShareOfRough{0, 0.4};  // of the variance
constexpr Range kRoughLength{0.3, 0.5};

double draw(Range range, Random& random) { return random.uniform(range.low, range.high); }

torch::Tensor points(torch::Tensor all, std::int64_t begin, std::int64_t end) {
  return all.slice(1, begin, end).contiguous();
}

// The truth of a batch's points, filled in task by task.
class TruthWriter {
 public:
  TruthWriter(Asked asked, std::int64_t tasks, std::int64_t points) : jointly_(asked == Asked::jointly) {
    if (asked == Asked::nothing) return;
    truth_ = {torch::empty({tasks, points, 1}), torch::empty({tasks, points, 1}), {}};
    if (jointly_) truth_.covariance = torch::empty({tasks, points, points});
  }

  void write(std::int64_t task, const GaussianProcess& process, std::span<const double> x, std::span<const double> y,
             std::size_t context) {
    if (!truth_.defined()) return;
    const Posterior known = process.posterior(x.first(context), y.first(context), x, jointly_);
    copy(known.mean, truth_.mean[task]);
    copy(known.variance, truth_.variance[task]);
    if (jointly_) copy(known.covariance, truth_.covariance[task]);
  }

  const Truth& truth() const { return truth_; }

 private:
  static void copy(const std::vector<double>& from, const torch::Tensor& to) {
    std::transform(from.begin(), from.end(), to.data_ptr<float>(),
                   [](double value) { return static_cast<float>(value); });
  }

  bool jointly_;
  Truth truth_;
};

}  // namespace

GpTask::GpTask(const GpSettings& settings)
    : settings_(settings), kernel_(kernel_of(settings.kernel)), length_(length_of(settings.variant)) {
  if (settings.batch < 1) throw Error(fmt::format("batch is {}; a batch has at least one task", settings.batch));
  if (settings.max_points <= 2 * kFewestPoints || settings.max_points > 10000) {
    throw Error(fmt::format("max_points is {}; it is {} to 10000, as context and targets have at least {} points each",
                            settings.max_points, 2 * kFewestPoints + 1, kFewestPoints));
  }
  if (!std::isfinite(settings.t_noise) || (settings.t_noise < 0 && settings.t_noise != -1)) {
    throw Error(fmt::format("t_noise is {}; it is a factor from 0 on, or -1 for one drawn anew for every point",
                            settings.t_noise));
  }
  if (settings.context < 0 || settings.context > 10000) {
    throw Error(fmt::format("a context of {} points is too large; it is 10000 at most", settings.context));
  }
  if (settings.truth != Asked::nothing && settings.t_noise != 0) {
    throw Error("with t_noise, a Gaussian process does not know how its targets are distributed");
  }
}

std::string GpTask::name() const {
  const std::string noise = settings_.t_noise == 0 ? "" : fmt::format("-t{}", settings_.t_noise);
  const std::string context = settings_.context == 0 ? "" : fmt::format("-n{}", settings_.context);
  return fmt::format("gp-{}-{}{}{}-{}x{}", settings_.kernel, settings_.variant, noise, context, settings_.max_points,
                     settings_.batch);
}

GaussianProcess GpTask::draw_process(Random& random) const {
  GaussianProcess process{kernel_, draw(length_, random), draw(kScale, random), 1, kNoise * kNoise};
  if (kernel_ == Kernel::periodic) process.period = draw(kPeriod, random);
  if (settings_.variant == "sums" && random.uniform() < 0.5) {
    process.length = draw(kLengthOfSum, random);
    process.second_share = draw(kShareOfRough, random);
    process.second_length = draw(kRoughLength, random) * process.length;
  }
  return process;
}

double GpTask::draw_noise(Random& random) const {
  const double factor = settings_.t_noise == -1 ? 0.15 * random.uniform() : settings_.t_noise;
  return factor * random.student_t(kDegreesOfFreedom);
}

EvaluationBatch GpTask::sample(Random& random, bool for_evaluation) const {
  const bool fixed = for_evaluation && settings_.context > 0;
  const std::int64_t drawn = random.integer(kFewestPoints, settings_.max_points - kFewestPoints);
  const std::int64_t context = fixed ? settings_.context : drawn;
  const std::int64_t targets = fixed ? drawn
                                     : random.integer(kFewestPoints, settings_.max_points - context) +
                                           (for_evaluation ? 0 : settings_.extra_targets);
  const auto count = static_cast<std::size_t>(context + targets);
  const bool noisy = settings_.t_noise != 0;
  torch::Tensor all_x = torch::empty({settings_.batch, context + targets, 1}), all_y = torch::empty_like(all_x);
  float* out_x = all_x.data_ptr<float>();
  float* out_y = all_y.data_ptr<float>();
  TruthWriter truth(for_evaluation ? Asked::nothing : settings_.truth, settings_.batch, context + targets);
  Limits sum;
  std::vector<double> x(count);
  for (std::int64_t task = 0; task < settings_.batch; ++task) {
    const GaussianProcess process = draw_process(random);
    for (double& value : x) value = draw(kX, random);
    std::vector<double> y = training::draw(process.factor(x), count, random);
    if (for_evaluation && !noisy) {
      const Limits limits = process.predictive_likelihood(x, y, static_cast<std::size_t>(context));
      sum.joint += limits.joint;
      sum.marginal += limits.marginal;
    }
    truth.write(task, process, x, y, static_cast<std::size_t>(context));
    for (std::size_t i = 0; i < count; ++i) {
      *out_x++ = static_cast<float>(x[i]);
      *out_y++ = static_cast<float>(noisy ? y[i] + draw_noise(random) : y[i]);
    }
  }
  EvaluationBatch result{{points(all_x, 0, context),
                          points(all_y, 0, context),
                          points(all_x, context, context + targets),
                          points(all_y, context, context + targets),
                          {},
                          truth.truth()},
                         std::nullopt};
  const auto tasks = static_cast<double>(settings_.batch);
  if (for_evaluation && !noisy) result.limits = {sum.joint / tasks, sum.marginal / tasks};
  return result;
}

}  // namespace cmanp::training
