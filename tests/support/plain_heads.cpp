// What PlainModel makes of decoded target tokens [targets][d_model]: means and deviations, or means and covariance.
#include <cmath>
#include <numbers>

#include "support/plain_layers.hpp"
#include "support/plain_model.hpp"

namespace cmanp::testing {

Diagonal PlainModel::diagonal_head(const Matrix& tokens) const {
  const std::size_t dy = config_.dim_y;
  const Matrix out = mlp(tokens, "predictor", 2);
  Diagonal result;
  for (std::size_t n = 0; n < tokens.rows; ++n) {
    for (std::size_t c = 0; c < dy; ++c) {
      const double raw = out(n, dy + c), scale = normalisation_.y_scale[c];
      const double std =
          config_.bound_std ? config_.least_std + (1 - config_.least_std) * softplus(raw) : std::exp(raw);
      result.mean.push_back(out(n, c) * scale + normalisation_.y_shift[c]);
      result.std.push_back(std * scale);
    }
  }
  return result;
}

// The torch encoder layers, post-norm, over the targets of one block.
Matrix PlainModel::std_encoder(Matrix x, const std::vector<double>& at) const {
  const std::size_t d = config_.d_model;
  for (std::size_t i = 0; i < config_.num_std_layers; ++i) {
    const std::string layer = "std_encoder.layers." + std::to_string(i) + ".";
    if (config_.relative()) {
      const Matrix places = normalised(at);
      x = feed_forward(relative_attention(x, places, nullptr, places, layer + "self_attn"), layer + "ff");
      continue;
    }
    const Matrix qkv =
        times_transposed(x, tensor(layer + "self_attn.in_proj_weight"), &tensor(layer + "self_attn.in_proj_bias"));
    const Attention among =
        softmax_attention(columns(qkv, 0, d), columns(qkv, d, d), columns(qkv, 2 * d, d), config_.nhead);
    x = norm(add(x, linear(among.output, layer + "self_attn.out_proj")), layer + "norm1");
    Matrix hidden = linear(x, layer + "linear1");
    relu(hidden);
    x = norm(add(x, linear(hidden, layer + "linear2")), layer + "norm2");
  }
  return x;
}

Joint PlainModel::covariance_head(const Matrix& tokens, const std::vector<double>& x) const {
  const std::size_t dy = config_.dim_y, size = tokens.rows * dy;
  // A token's channels are consecutive slices of its projection: [targets * dim_y][prj_dim], row-major alike.
  Matrix projected = mlp(std_encoder(tokens, x), "projector", config_.prj_depth);
  projected.rows = size;
  projected.cols = config_.prj_dim;
  const Matrix gram = times_transposed(projected, projected, nullptr);

  Joint joint{mlp(tokens, "mean_net", 2).values, Matrix(size, size)};
  if (config_.covariance == Covariance::cholesky) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) joint.scale_tril(i, j) = gram(i, j);
      if (config_.bound_std)
        joint.scale_tril(i, i) = config_.least_std + (1 - config_.least_std) * std::tanh(gram(i, i));
    }
  } else {
    const Matrix diagonal = mlp(tokens, "diag_net", config_.diag_depth);
    Matrix covariance = gram;
    for (std::size_t i = 0; i < size; ++i) covariance(i, i) += std::exp(diagonal.values[i]);
    joint.scale_tril = cholesky(covariance);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const double scale = normalisation_.y_scale[i % dy];
    joint.mean[i] = joint.mean[i] * scale + normalisation_.y_shift[i % dy];
    for (std::size_t j = 0; j <= i; ++j) joint.scale_tril(i, j) *= scale;
  }
  return joint;
}

double log_density(const Joint& joint, std::span<const double> y) {
  std::vector<double> z(y.size());
  double result = -0.5 * static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double rest = y[i] - joint.mean[i];
    for (std::size_t j = 0; j < i; ++j) rest -= joint.scale_tril(i, j) * z[j];
    z[i] = rest / joint.scale_tril(i, i);
    result -= 0.5 * z[i] * z[i] + std::log(joint.scale_tril(i, i));
  }
  return result;
}

}  // namespace cmanp::testing
