// The densities that losses and likelihoods are made of.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "training/batch.hpp"

namespace cmanp::training {

// Independent normals.
struct Normal {
  torch::Tensor mean, std;
};

// A multivariate normal over all targets and channels of a task, index = target * dim_y + channel.
struct MultivariateNormal {
  torch::Tensor mean;        // [B, n]
  torch::Tensor scale_tril;  // [B, n, n], the lower Cholesky factor of the covariance
};

inline double log_root_two_pi() { return 0.5 * std::log(2 * std::numbers::pi); }

// Of every point: summed over the last axis, the channels.
inline torch::Tensor log_density(const Normal& normal, const torch::Tensor& y) {
  const torch::Tensor scaled = (y - normal.mean) / normal.std;
  return (-0.5 * scaled * scaled - normal.std.log() - log_root_two_pi()).sum(-1);
}

// The expectation of log_density over y, given mean and variance of each y; of every point.
inline torch::Tensor expected_log_density(const Normal& normal, const Truth& truth) {
  const torch::Tensor square = truth.variance + (truth.mean - normal.mean).square();
  return (-0.5 * square / normal.std.square() - normal.std.log() - log_root_two_pi()).sum(-1);
}

// KL(p || q), summed over the last axis.
inline torch::Tensor divergence(const Normal& p, const Normal& q) {
  const torch::Tensor ratio = (p.std / q.std).square();
  const torch::Tensor shift = ((p.mean - q.mean) / q.std).square();
  return 0.5 * (ratio + shift - 1 - ratio.log()).sum(-1);
}

// Of every task's y [B, n]: [B].
inline torch::Tensor log_density(const MultivariateNormal& normal, const torch::Tensor& y) {
  const torch::Tensor solved =
      torch::linalg_solve_triangular(normal.scale_tril, (y - normal.mean).unsqueeze(-1), /*upper=*/false);
  const torch::Tensor half_log_det = normal.scale_tril.diagonal(0, -2, -1).log().sum(-1);
  return -0.5 * solved.square().sum({-2, -1}) - half_log_det - static_cast<double>(y.size(-1)) * log_root_two_pi();
}

// The expectation of log_density over y, given mean [B, n] and covariance [B, n, n] of each task's y: with the factor L
// of this normal's covariance and C of theirs, |L^-1 (y - mean)|² is expected to be |L^-1 C|² + |L^-1 (mean' - mean)|²,
// and |L^-1 C|² = trace(L^-1 (L^-1 C C^T)^T).
inline torch::Tensor expected_log_density(const MultivariateNormal& normal, const Truth& truth) {
  const auto solved = [&](const torch::Tensor& right) {
    return torch::linalg_solve_triangular(normal.scale_tril, right, /*upper=*/false);
  };
  const torch::Tensor spread = solved(solved(truth.covariance).transpose(-2, -1)).diagonal(0, -2, -1).sum(-1);
  return log_density(normal, truth.mean) - 0.5 * spread;
}

// log of the mean of exp over the first axis, the samples.
inline torch::Tensor log_mean_exp(const torch::Tensor& x) {
  return torch::logsumexp(x, 0) - std::log(static_cast<double>(x.size(0)));
}

// One normal for a mixture of them along the first axis, with its mean and variance.
inline Normal merge_samples(const Normal& normal) {
  const torch::Tensor mean = normal.mean.mean(0);
  const torch::Tensor variance = (normal.std.square() + (normal.mean - mean).square()).mean(0);
  return {mean, variance.sqrt()};
}

}  // namespace cmanp::training
