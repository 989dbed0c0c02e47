#include "runtime/joint_head.hpp"

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>

namespace cmanp::runtime {
namespace {

using kernels::padded;

// space.rows, which have looked at each other in relative coordinates, from where the first of them lies.
void run_relative_layers(const Weights& weights, const double* x, std::size_t count, const JointSpace& space) {
  const std::size_t axes = weights.config.axes(), dx = weights.config.dim_x, ld = padded(weights.config.d_model);
  const Residual residual = weights.config.residual;
  for (std::size_t i = 0; x != nullptr && i < count * axes; ++i) {
    const std::size_t axis = i % axes;
    space.places[i] = static_cast<float>((x[i / axes * dx + axis] - x[axis]) / weights.normalisation.x_scale[axis]);
  }
  for (const RelativeDecoderLayer& layer : weights.joint->relative_layers) {
    if (x != nullptr) {
      kernels::relative_self_attention(layer.attention, residual, space.rows, space.places, count, space.layer);
    } else {
      // Attention over a single key is its value, turned there and back.
      const kernels::AttentionLayer& plain = layer.attention.layer;
      kernels::layer_norm(plain.norm, space.rows, ld, count, space.queries, ld);
      kernels::linear(plain.value, space.queries, ld, count, space.attended, plain.heads.padded_inner());
      if (residual == Residual::normalised) std::copy_n(space.queries, count * ld, space.rows);
      kernels::linear(plain.output, space.attended, plain.heads.padded_inner(), count, space.rows, ld,
                      kernels::Into::add);
    }
    kernels::feed_forward(layer.feed_forward, residual, space.rows, count, space.layer);
  }
}

// Runs the head's networks: space.mean, space.projected, space.diagonal. `x` null: every target attends to itself only.
void run_networks(const Weights& weights, const float* hidden, const double* x, std::size_t count,
                  const JointSpace& space) {
  const bool alone = x == nullptr;
  const JointHead& head = *weights.joint;
  const std::size_t d = weights.config.d_model, ld = padded(d), ld_inner = weights.heads().padded_inner();
  head.mean.run(hidden, ld, count, space.mean, space.mlp);
  if (head.diagonal) head.diagonal->run(hidden, ld, count, space.diagonal, space.mlp);
  std::copy_n(hidden, count * ld, space.rows);
  if (weights.relative) run_relative_layers(weights, x, count, space);
  for (const TransformerLayer& layer : head.layers) {
    if (alone) {
      // Attention over a single key is its value.
      kernels::linear(layer.attention.value, space.rows, ld, count, space.attended, ld_inner);
    } else {
      kernels::transpose_to_panels(space.rows, ld, count, d, space.panels);
      kernels::project_keys(layer.attention, space.rows, ld, space.panels, count, space.transposed, space.values);
      kernels::linear(layer.attention.query, space.rows, ld, count, space.queries, ld);
      kernels::attend(weights.heads(), space.queries, ld, count, {space.transposed, space.values, count},
                      space.attended, ld_inner, space.scores);
    }
    kernels::linear(layer.attention.output, space.attended, ld_inner, count, space.rows, ld, kernels::Into::add);
    kernels::layer_norm(layer.norm1, space.rows, ld, count, space.rows, ld);
    const kernels::Linear& first = layer.feed_forward.layers[0];
    kernels::linear(first, space.rows, ld, count, space.mlp, padded(first.out), kernels::Into::set_relu);
    kernels::linear(layer.feed_forward.layers[1], space.mlp, padded(first.out), count, space.rows, ld,
                    kernels::Into::add);
    kernels::layer_norm(layer.norm2, space.rows, ld, count, space.rows, ld);
  }
  head.projector.run(space.rows, ld, count, space.projected, space.mlp);
}

// Row i = target * dim_y + channel of the projections.
class Projections {
 public:
  Projections(const Config& config, const JointSpace& space)
      : config_(config), space_(space), ld_(padded(config.prj_dim * config.dim_y)), ldy_(padded(config.dim_y)) {}

  double dot(std::size_t i, std::size_t j) const {
    const float* a = row(i);
    const float* b = row(j);
    double sum = 0;
    for (std::size_t k = 0; k < config_.prj_dim; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return sum;
  }

  // The factor's own diagonal, where the factor is what the projections give.
  double cholesky_diagonal(std::size_t i) const {
    const double norm = dot(i, i);
    return config_.bound_std ? config_.least_std + (1 - config_.least_std) * std::tanh(norm) : norm;
  }

  // What a low-rank covariance has on its diagonal besides.
  double extra_variance(std::size_t i) const {
    return std::exp(static_cast<double>(space_.diagonal[i / config_.dim_y * ldy_ + i % config_.dim_y]));
  }

  double mean(std::size_t i) const {
    return static_cast<double>(space_.mean[i / config_.dim_y * ldy_ + i % config_.dim_y]);
  }

 private:
  const float* row(std::size_t i) const {
    return space_.projected + i / config_.dim_y * ld_ + i % config_.dim_y * config_.prj_dim;
  }

  const Config& config_;
  const JointSpace& space_;
  std::size_t ld_;
  std::size_t ldy_;
};

// In place, the lower triangle of a positive matrix to its Cholesky factor.
void cholesky(double* a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j) {
        if (!(sum > 0)) throw Error("the predicted covariance is not positive definite; the model may be untrained");
        a[j * n + j] = std::sqrt(sum);
      } else {
        a[i * n + j] = sum / a[j * n + j];
      }
    }
  }
}

}  // namespace

JointSpace::JointSpace(const Weights& weights, std::size_t targets, kernels::Cursor& cursor) {
  const Config& config = weights.config;
  const JointHead& head = *weights.joint;
  const std::size_t ld = padded(config.d_model);
  rows = cursor.take(targets * ld);
  panels = cursor.take(padded(targets) * config.d_model);
  transposed = cursor.take(kernels::keys_size(weights.heads(), targets));
  values = cursor.take(kernels::values_size(weights.heads(), targets));
  queries = cursor.take(targets * ld);
  attended = cursor.take(targets * weights.heads().padded_inner());
  scores = cursor.take(kernels::attention_scratch(targets));
  const std::size_t axes = weights.relative ? config.axes() : 0;
  places = cursor.take(targets * axes);
  std::size_t of_layers = 0;
  for (const RelativeDecoderLayer& one : head.relative_layers) {
    of_layers = std::max({of_layers, one.attention.self_scratch(targets), one.feed_forward.scratch()});
  }
  layer = cursor.take(of_layers);
  std::size_t widest = std::max(head.mean.scratch(targets), head.projector.scratch(targets));
  widest = std::max(widest, targets * padded(config.dim_feedforward));
  if (head.diagonal) widest = std::max(widest, head.diagonal->scratch(targets));
  mlp = cursor.take(widest);
  mean = cursor.take(targets * padded(config.dim_y));
  projected = cursor.take(targets * padded(config.prj_dim * config.dim_y));
  diagonal = cursor.take(targets * padded(config.dim_y));
}

void joint_head(const Weights& weights, const float* hidden, const double* x, std::size_t count,
                const JointSpace& space, double* mean, double* scale_tril) {
  run_networks(weights, hidden, x, count, space);
  const std::size_t dy = weights.config.dim_y, n = count * dy;
  const bool lowrank = weights.config.covariance == Covariance::lowrank;
  const Projections projections(weights.config, space);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) scale_tril[i * n + j] = projections.dot(i, j);
    scale_tril[i * n + i] =
        lowrank ? projections.dot(i, i) + projections.extra_variance(i) : projections.cholesky_diagonal(i);
    for (std::size_t j = i + 1; j < n; ++j) scale_tril[i * n + j] = 0.0;
  }
  if (lowrank) cholesky(scale_tril, n);
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = weights.normalisation.y_scale[i % dy];
    mean[i] = projections.mean(i) * scale + weights.normalisation.y_shift[i % dy];
    for (std::size_t j = 0; j <= i; ++j) scale_tril[i * n + j] *= scale;
  }
}

void marginal_head(const Weights& weights, const float* hidden, std::size_t count, const JointSpace& space,
                   double* mean, double* std) {
  run_networks(weights, hidden, nullptr, count, space);
  const std::size_t dy = weights.config.dim_y;
  const bool lowrank = weights.config.covariance == Covariance::lowrank;
  const Projections projections(weights.config, space);
  for (std::size_t i = 0; i < count * dy; ++i) {
    double variance = 0;
    if (lowrank) {
      variance = projections.dot(i, i) + projections.extra_variance(i);
    } else {
      const double own = projections.cholesky_diagonal(i);
      variance = own * own;
      for (std::size_t j = i / dy * dy; j < i; ++j) variance += projections.dot(i, j) * projections.dot(i, j);
    }
    const double scale = weights.normalisation.y_scale[i % dy];
    mean[i] = projections.mean(i) * scale + weights.normalisation.y_shift[i % dy];
    std[i] = std::sqrt(variance) * scale;
  }
}

}  // namespace cmanp::runtime
