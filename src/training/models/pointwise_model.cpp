#include "training/models/pointwise_model.hpp"

namespace cmanp::training {
namespace {

bool is_mixture(const Normal& answers) { return answers.mean.dim() == 4; }

// As published: samples are averaged point by point.
torch::Tensor log_likelihood_of(const Normal& answers, const torch::Tensor& y) {
  const torch::Tensor of_points = log_density(answers, y);
  return (is_mixture(answers) ? log_mean_exp(of_points) : of_points).mean();
}

Prediction prediction_of(const Normal& answers) {
  const Normal normal = is_mixture(answers) ? merge_samples(answers) : answers;
  return {normal.mean, normal.std, {}};
}

}  // namespace

torch::Tensor PointwiseModel::compute_log_likelihood(const Batch& batch) {
  return log_likelihood_of(answer_each(batch.xc, batch.yc, batch.xt), batch.yt);
}

Prediction PointwiseModel::compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc,
                                              const torch::Tensor& xt) {
  return prediction_of(answer_each(xc, yc, xt));
}

Judged PointwiseModel::compute_judged(const Batch& batch) {
  const Normal answers = answer_each(batch.xc, batch.yc, batch.xt);
  return {log_likelihood_of(answers, batch.yt), prediction_of(answers)};
}

}  // namespace cmanp::training
