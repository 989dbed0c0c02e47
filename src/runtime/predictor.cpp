#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmanp/error.hpp>
#include <cmanp/predictor.hpp>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

#include "base/normal_source.hpp"
#include "base/running_mean.hpp"
#include "runtime/check_points.hpp"
#include "runtime/engine.hpp"
#include "runtime/framing.hpp"
#include "runtime/waiting.hpp"

namespace cmanp {
namespace {

using runtime::ContextEngine;

// log N(y; mean, L L^T) by forward substitution; `y` becomes L^-1 (y - mean).
double log_density(std::span<double> y, std::span<const double> mean, std::span<const double> scale_tril) {
  const std::size_t n = y.size();
  double result = -0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
  for (std::size_t i = 0; i < n; ++i) {
    double rest = y[i] - mean[i];
    for (std::size_t j = 0; j < i; ++j) rest -= scale_tril[i * n + j] * y[j];
    y[i] = rest / scale_tril[i * n + i];
    result -= 0.5 * y[i] * y[i] + std::log(scale_tril[i * n + i]);
  }
  return result;
}

double log_density_diagonal(double y, double mean, double std) {
  const double z = (y - mean) / std;
  return -0.5 * z * z - std::log(std) - 0.5 * std::log(2.0 * std::numbers::pi);
}

// A block's mean and factor, for up to so many targets.
struct Joint {
  Joint(const ContextEngine& engine, std::size_t targets)
      : mean(targets * engine.model().config().dim_y), scale_tril(mean.size() * mean.size()) {}

  void predict(ContextEngine& engine, std::span<const double> x, std::size_t n) {
    engine.predict_joint(x, std::span(mean).first(n), std::span(scale_tril).first(n * n));
    const auto& frame = engine.framing().frame;
    if (frame) runtime::widen_factor(std::span(scale_tril).first(n * n), n, *frame);
  }

  std::vector<double> mean;
  std::vector<double> scale_tril;
};

// One function drawn from the context's distribution, at all targets.
void draw(ContextEngine& engine, std::span<const double> x, std::size_t block, double growth,
          base::NormalSource& normal, Joint& joint, std::span<double> out) {
  const std::size_t dx = engine.model().config().dim_x, dy = engine.model().config().dim_y;
  const std::size_t targets = x.size() / dx;
  std::size_t fed_back = 0;  // targets
  for (std::size_t at = 0; at < targets; at += block) {
    const std::size_t count = std::min(block, targets - at), n = count * dy;
    const auto block_x = x.subspan(at * dx, count * dx);
    const auto block_y = out.subspan(at * dy, n);
    joint.predict(engine, block_x, n);
    for (std::size_t i = 0; i < n; ++i) block_y[i] = normal.next();
    for (std::size_t i = n; i-- > 0;) {
      double value = joint.mean[i];
      for (std::size_t j = 0; j <= i; ++j) value += joint.scale_tril[i * n + j] * block_y[j];
      block_y[i] = value;
    }
    const std::size_t drawn = at + count, waiting = drawn - fed_back;
    if (drawn < targets && static_cast<double>(waiting) >= growth * static_cast<double>(engine.size())) {
      engine.feed_back(x.subspan(fed_back * dx, waiting * dx), out.subspan(fed_back * dy, waiting * dy));
      fed_back = drawn;
    }
  }
}

void check_sample(const Context& context, const SampleOptions& options, std::size_t draw_size, std::size_t out_size) {
  if (options.block > context.options().block) {
    throw Error(fmt::format("{} targets are to be drawn jointly, and the context predicts {} jointly at most",
                            options.block, context.options().block),
                ErrorKind::argument);
  }
  if (!(options.growth >= 0)) throw Error("the growth of what is fed back must not be negative", ErrorKind::argument);
  // Divides, as draws * draw_size may be more than a size_t holds.
  if (draw_size == 0 || options.draws == 0 ? out_size != 0
                                           : out_size % draw_size != 0 || out_size / draw_size != options.draws) {
    throw Error(fmt::format("out holds {} numbers where {} draws of {} belong", out_size, options.draws, draw_size),
                ErrorKind::argument);
  }
}

// The log-likelihood of all targets, a part after the other, and how far it may be off.
struct Total {
  double log_likelihood = 0;
  base::RunningMean parts;

  void add(double part) {
    log_likelihood += part;
    parts.add(part);
  }

  // Of the mean a point.
  double standard_error(std::size_t points) const {
    return parts.standard_error() * static_cast<double>(parts.count()) / static_cast<double>(points);
  }
};

Total score_independent(ContextEngine& engine, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t)>& progress) {
  constexpr std::size_t kTargetsAtOnce = 4096;
  const std::size_t dx = engine.model().config().dim_x, dy = engine.model().config().dim_y;
  const std::size_t targets = x.size() / dx;
  std::vector<double> mean(std::min(targets, kTargetsAtOnce) * dy), std(mean.size());
  const auto& frame = engine.framing().frame;
  Total total;
  for (std::size_t at = 0; at < targets; at += kTargetsAtOnce) {
    const std::size_t count = std::min(kTargetsAtOnce, targets - at), n = count * dy;
    engine.predict(x.subspan(at * dx, count * dx), std::span(mean).first(n), std::span(std).first(n));
    if (frame) runtime::widen(std::span(std).first(n), *frame);
    for (std::size_t i = 0; i < n; i += dy) {
      double target = 0;
      for (std::size_t c = i; c < i + dy; ++c) {
        target += log_density_diagonal(y[at * dy + c], mean[c], std[c]);
      }
      total.add(target);
    }
    if (progress) progress(at + count);
  }
  return total;
}

Total score_by_chain_rule(ContextEngine& engine, std::span<const double> x, std::span<const double> y,
                          std::size_t block, const std::function<void(std::size_t)>& progress) {
  const std::size_t dx = engine.model().config().dim_x, dy = engine.model().config().dim_y;
  const std::size_t targets = x.size() / dx;
  Joint joint(engine, block);
  std::vector<double> residual(joint.mean.size());
  Total total;
  for (std::size_t at = 0; at < targets; at += block) {
    const std::size_t count = std::min(block, targets - at), n = count * dy;
    const auto block_x = x.subspan(at * dx, count * dx);
    const auto block_y = y.subspan(at * dy, n);
    joint.predict(engine, block_x, n);
    std::copy(block_y.begin(), block_y.end(), residual.begin());
    total.add(log_density(std::span(residual).first(n), std::span(joint.mean).first(n),
                          std::span(joint.scale_tril).first(n * n)));
    if (at + count < targets) engine.feed_back(block_x, block_y);
    if (progress) progress(at + count);
  }
  return total;
}

}  // namespace

namespace {

// What a context is asked and answers in its frame's units; the engine's are the model's own.
void sample_by(const Context& context, const ContextEngine& engine, std::span<const double> x, std::span<double> out,
               const SampleOptions& options, const std::function<void(std::size_t)>& progress) {
  const Config& config = context.model().config();
  const std::size_t targets = runtime::count_points(runtime::Access::weights(context.model()), x);
  const std::size_t draw_size = targets * config.dim_y;
  check_sample(context, options, draw_size, out.size());
  if (options.draws == 0 || targets == 0) return;
  const std::size_t block = std::min(targets, options.block > 0 ? options.block : context.options().block);

  // Latents and keys once for all draws; what each thread then needs is a context of its own.
  ContextEngine base(engine, {1, block});
  base.refresh();
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  base::Workers workers(std::min(context.options().threads, options.draws));
  workers.run([&](std::size_t) {
    try {
      ContextEngine own(base, {1, block});
      Joint joint(own, block);
      for (std::size_t s = next++; s < options.draws; s = next++) {
        own.copy_state(base);
        base::NormalSource normal(options.seed, s);
        draw(own, x, block, options.growth, normal, joint, out.subspan(s * draw_size, draw_size));
        if (progress) progress(++done);
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
      next = options.draws;
    }
  });
  if (failure) std::rethrow_exception(failure);
}

Score score_by(const Context& context, const ContextEngine& of, std::span<const double> x, std::span<const double> y,
               std::size_t block, const std::function<void(std::size_t)>& progress) {
  const Config& config = context.model().config();
  Score result;
  result.points = runtime::count_points(runtime::Access::weights(context.model()), x, y);
  if (result.points == 0) throw Error("no targets to score", ErrorKind::argument);
  const bool chain_rule = block > 0 || !config.diagonal();
  block = std::min(result.points, block > 0 ? block : context.options().block);
  ContextEngine engine(of, {chain_rule ? 1 : context.options().threads, block});
  const Total total =
      chain_rule ? score_by_chain_rule(engine, x, y, block, progress) : score_independent(engine, x, y, progress);
  result.log_likelihood = total.log_likelihood / static_cast<double>(result.points);
  result.standard_error = total.standard_error(result.points);
  return result;
}

}  // namespace

void sample(const Context& context, std::span<const double> x, std::span<double> out, const SampleOptions& options,
            const std::function<void(std::size_t)>& progress) {
  const ContextEngine& engine = runtime::Access::engine(context);
  if (waits(engine)) return sample(runtime::Access::context(settled(engine)), x, out, options, progress);
  const auto& frame = engine.framing().frame;
  if (!frame) return sample_by(context, engine, x, out, options, progress);
  sample_by(context, engine, runtime::x_into_frame(x, *frame), out, options, progress);
  runtime::y_out_of_frame(x, out, *frame);
}

Score score(const Context& context, std::span<const double> x, std::span<const double> y, std::size_t block,
            const std::function<void(std::size_t)>& progress) {
  const ContextEngine& engine = runtime::Access::engine(context);
  if (waits(engine)) return score(runtime::Access::context(settled(engine)), x, y, block, progress);
  const auto& frame = engine.framing().frame;
  if (!frame) return score_by(context, engine, x, y, block, progress);
  Score result =
      score_by(context, engine, runtime::x_into_frame(x, *frame), runtime::y_into_frame(x, y, *frame), block, progress);
  for (const double scale : frame->y_scale) result.log_likelihood -= std::log(scale);  // the Jacobian
  return result;
}

}  // namespace cmanp
