// The not-diagonal head: targets of a block see each other, and get a full covariance.
#pragma once

#include <cstddef>

#include "kernels/cursor.hpp"
#include "runtime/weights.hpp"

namespace cmanp::runtime {

struct JointSpace {
  float* rows;  // [targets][padded(d)]
  float* panels;
  float* transposed;
  float* values;
  float* queries;
  float* attended;
  float* scores;
  float* places;  // [targets][axes], in relative coordinates
  float* layer;   // a sub-layer's own scratch there
  float* mlp;
  float* mean;       // [targets][padded(dim_y)]
  float* projected;  // [targets][padded(prj_dim * dim_y)]
  float* diagonal;   // [targets][padded(dim_y)]

  // For up to so many targets at once.
  JointSpace(const Weights& weights, std::size_t targets, kernels::Cursor& cursor);
};

// One block of targets at x, in raw units: mean [n], scale_tril [n][n], n = count * dim_y.
void joint_head(const Weights& weights, const float* hidden, const double* x, std::size_t count,
                const JointSpace& space, double* mean, double* scale_tril);

// Each target as a block of its own: mean and standard deviation [count][dim_y].
void marginal_head(const Weights& weights, const float* hidden, std::size_t count, const JointSpace& space,
                   double* mean, double* std);

}  // namespace cmanp::runtime
