// The paper's own rolling update of a cross-attention, one head and latent, to show beside ours what it does in
// float32: a log-normaliser c and an output o, both overwritten with every chunk.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace cmanp::testing {

template <class Real>
class PaperUpdate {
 public:
  explicit PaperUpdate(std::size_t dim) : output_(dim, Real(0)) {}

  // A chunk of new points: scores [n], values [n][dim].
  void update(std::span<const Real> scores, std::span<const Real> values) {
    if (scores.empty()) return;
    const std::size_t dim = output_.size();
    const Real before = log_normaliser_;
    if (empty_) {  // the first chunk goes by the ordinary softmax
      log_normaliser_ = log_sum_exp(scores, Real(0));
      empty_ = false;
    } else {
      log_normaliser_ = before + softplus(log_sum_exp(scores, before));
      for (Real& value : output_) value *= std::exp(before - log_normaliser_);
    }
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const Real weight = std::exp(scores[j] - log_normaliser_);
      for (std::size_t i = 0; i < dim; ++i) output_[i] += weight * values[j * dim + i];
    }
  }

  Real log_normaliser() const { return log_normaliser_; }
  const std::vector<Real>& output() const { return output_; }

 private:
  static Real log_sum_exp(std::span<const Real> scores, Real shift) {
    const Real largest = *std::max_element(scores.begin(), scores.end()) - shift;
    Real sum = 0;
    for (const Real score : scores) sum += std::exp((score - shift) - largest);
    return largest + std::log(sum);
  }

  static Real softplus(Real x) { return x > Real(20) ? x : std::log1p(std::exp(x)); }

  bool empty_ = true;
  Real log_normaliser_ = 0;
  std::vector<Real> output_;
};

}  // namespace cmanp::testing
