#include "training/evaluation/evaluate.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <cmanp/error.hpp>
#include <cmath>

namespace cmanp::training {
namespace {

// Mean and standard error of the mean, one value after the other (Welford).
class RunningMean {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }
  double mean() const { return mean_; }
  double standard_error() const {
    const auto n = static_cast<double>(count_);
    return count_ < 2 ? 0 : std::sqrt(squares_ / (n - 1) / n);
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace

Evaluation evaluate(NeuralProcess& model, const EvaluationSet& set, const std::function<bool(std::size_t)>& progress) {
  if (set.batches.empty()) throw Error("an evaluation set has no batches");
  const torch::NoGradGuard no_grad;
  const bool was_training = model.is_training();
  model.eval();
  Evaluation result;
  RunningMean score, joint, marginal;
  bool limits = true;
  for (const EvaluationBatch& next : set.batches) {
    // Latents and bootstraps are fixed by the set's seed, as its batches are.
    model.use(at::detail::createCPUGenerator(mix_seed(set.seed, Stream::model, result.batches)));
    score.add(model.log_likelihood(next.batch).item<double>());
    limits = limits && next.limits.has_value();
    if (limits) {
      joint.add(next.limits->joint);
      marginal.add(next.limits->marginal);
    }
    ++result.batches;
    result.tasks += static_cast<std::size_t>(next.batch.xc.size(0));
    if (progress && !progress(result.batches)) break;
  }
  model.train(was_training);
  result.log_likelihood = score.mean();
  result.standard_error = score.standard_error();
  if (limits) result.limits = {joint.mean(), marginal.mean()};
  return result;
}

}  // namespace cmanp::training
