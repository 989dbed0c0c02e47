#include "training/bandit/optimise.hpp"

#include <algorithm>
#include <chrono>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "training/bandit/fitted_process.hpp"

namespace cmanp::training {
namespace {

constexpr double kNoiseVariance = 4e-4;  // of draws, as in training

struct Function {
  std::vector<double> x, y;
};

// Lengths, scales and noise as tasks of training have them.
Function draw_function(const OptimiseSettings& settings, std::size_t index) {
  Random random(settings.seed, Stream::evaluation, index);
  GaussianProcess process{settings.kernel, random.uniform(0.1, 0.6), random.uniform(0.1, 1), 1, kNoiseVariance};
  if (settings.kernel == Kernel::periodic) process.period = random.uniform(0.1, 0.5);
  Function function;
  for (std::size_t i = 0; i < settings.grid; ++i) {
    function.x.push_back(-2 + 4 * static_cast<double>(i) / static_cast<double>(settings.grid - 1));
  }
  function.y = draw(process.factor(function.x), settings.grid, random);
  return function;
}

// What believes something about the function.
class Surrogate {
 public:
  virtual ~Surrogate() = default;
  virtual void observe(double x, double y) = 0;
  virtual void predict(const std::vector<double>& x, std::vector<double>& mean, std::vector<double>& deviation) = 0;
};

class ModelSurrogate : public Surrogate {
 public:
  explicit ModelSurrogate(const Model& model) : context_(model) {}
  void observe(double x, double y) override { context_.observe({&x, 1}, {&y, 1}); }
  void predict(const std::vector<double>& x, std::vector<double>& mean, std::vector<double>& deviation) override {
    context_.predict(x, mean, deviation);
  }

 private:
  Context context_;
};

class ProcessSurrogate : public Surrogate {
 public:
  explicit ProcessSurrogate(Kernel kernel) : process_(kernel, kNoiseVariance) {}
  void observe(double x, double y) override { process_.observe(x, y); }
  void predict(const std::vector<double>& x, std::vector<double>& mean, std::vector<double>& deviation) override {
    process_.predict(x, mean, deviation);
  }

 private:
  FittedProcess process_;
};

// The place of the grid to look at next, not one that was: what is there is known.
std::size_t choose(const OptimiseSettings& settings, const std::vector<double>& mean,
                   const std::vector<double>& deviation, double best, const std::vector<bool>& seen) {
  std::size_t chosen = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (seen[i]) continue;
    const double value = settings.acquisition == Acquisition::expected_improvement
                             ? expected_improvement(mean[i], deviation[i], best)
                             : settings.exploration * deviation[i] - mean[i];
    if (value <= most) continue;
    most = value;
    chosen = i;
  }
  return chosen;
}

// Regret after each round; without a surrogate, any places.
std::vector<double> search(const OptimiseSettings& settings, const Function& function, Surrogate* surrogate,
                           Random& random) {
  const double least = *std::min_element(function.y.begin(), function.y.end());
  const auto any = [&] {
    return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(settings.grid)));
  };
  std::vector<bool> seen(settings.grid);
  std::vector<double> mean(settings.grid), deviation(settings.grid), regret;
  double best = std::numeric_limits<double>::infinity();
  std::size_t place = any();
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    seen[place] = true;
    best = std::min(best, function.y[place]);
    regret.push_back(best - least);
    if (surrogate != nullptr) {
      surrogate->observe(function.x[place], function.y[place]);
      surrogate->predict(function.x, mean, deviation);
      place = choose(settings, mean, deviation, best, seen);
    } else {
      place = any();
    }
  }
  return regret;
}

}  // namespace

double expected_improvement(double mean, double deviation, double best) {
  const double gain = best - mean;
  if (deviation <= 0) return std::max(0.0, gain);
  const double z = gain / deviation;
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return gain * below + deviation * density;
}

std::vector<OptimiseResult> optimise(const Model& model, const OptimiseSettings& settings,
                                     const std::function<void(std::size_t)>& done) {
  using Clock = std::chrono::steady_clock;
  if (model.config().dim_x != 1 || model.config().dim_y != 1) throw Error("the model must have one x and one y");
  if (settings.grid < settings.rounds) throw Error("the grid has fewer places than there are rounds");
  std::vector<OptimiseResult> results(3);
  const char* const names[] = {"model", "fitted process", "random"};
  std::vector<std::vector<double>> squares(3, std::vector<double>(settings.rounds));
  for (std::size_t f = 0; f < settings.functions; ++f) {
    const Function function = draw_function(settings, f);
    for (std::size_t method = 0; method < results.size(); ++method) {
      std::unique_ptr<Surrogate> surrogate;
      if (method == 0) surrogate = std::make_unique<ModelSurrogate>(model);
      if (method == 1) surrogate = std::make_unique<ProcessSurrogate>(settings.kernel);
      Random random(settings.seed, Stream::order, f);
      const Clock::time_point start = Clock::now();
      const std::vector<double> regret = search(settings, function, surrogate.get(), random);
      OptimiseResult& result = results[method];
      result.seconds += std::chrono::duration<double>(Clock::now() - start).count();
      result.regret.resize(settings.rounds);
      for (std::size_t i = 0; i < regret.size(); ++i) {
        result.regret[i] += regret[i];
        squares[method][i] += regret[i] * regret[i];
      }
    }
    done(f + 1);
  }
  const auto functions = static_cast<double>(settings.functions);
  for (std::size_t method = 0; method < results.size(); ++method) {
    OptimiseResult& result = results[method];
    result.method = names[method];
    result.seconds /= functions * static_cast<double>(settings.rounds);
    for (std::size_t i = 0; i < settings.rounds; ++i) {
      result.regret[i] /= functions;
      const double variance = squares[method][i] / functions - result.regret[i] * result.regret[i];
      result.standard_error.push_back(std::sqrt(std::max(0.0, variance) / functions));
    }
  }
  return results;
}

}  // namespace cmanp::training
