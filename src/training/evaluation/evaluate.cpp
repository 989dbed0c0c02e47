#include "training/evaluation/evaluate.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <cmanp/error.hpp>

#include "base/running_mean.hpp"

namespace cmanp::training {

Evaluation evaluate(NeuralProcess& model, const EvaluationSet& set, const std::function<bool(std::size_t)>& progress,
                    const std::function<void(const Batch&, const Prediction&)>& each) {
  if (set.batches.empty()) throw Error("an evaluation set has no batches");
  const torch::NoGradGuard no_grad;
  const bool was_training = model.is_training();
  model.eval();
  Evaluation result;
  base::RunningMean score, joint, marginal;
  bool limits = true;
  for (const EvaluationBatch& next : set.batches) {
    // Latents and bootstraps are fixed by the set's seed, as its batches are.
    model.use(at::detail::createCPUGenerator(mix_seed(set.seed, Stream::model, result.batches)));
    if (each) {
      const Judged of_batch = model.judge(next.batch);
      score.add(of_batch.log_likelihood.item<double>());
      each(next.batch, of_batch.each);
    } else {
      score.add(model.log_likelihood(next.batch).item<double>());
    }
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
  if (result.batches > 1) result.standard_error = score.standard_error();
  if (limits) result.limits = {joint.mean(), marginal.mean()};
  return result;
}

}  // namespace cmanp::training
