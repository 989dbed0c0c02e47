#include "support/plain_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/plain_layers.hpp"

namespace cmanp::testing {
namespace {

std::map<std::string, Matrix> to_double(const runtime::ModelData& data) {
  std::map<std::string, Matrix> result;
  for (const auto& [name, tensor] : data.tensors) {
    Matrix matrix(tensor.shape.size() == 1 ? 1 : tensor.values.size() / tensor.shape.back(), tensor.shape.back());
    std::copy(tensor.values.begin(), tensor.values.end(), matrix.values.begin());
    result.emplace(name, std::move(matrix));
  }
  return result;
}

std::vector<double> slice(const std::vector<double>& values, std::size_t first, std::size_t count) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void append(std::vector<double>& values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

PlainModel::PlainModel(const Config& config, const Normalisation& normalisation, std::map<std::string, Matrix> tensors)
    : config_(config), normalisation_(normalisation), tensors_(std::move(tensors)) {
  if (!config.relative()) return;
  std::vector<double> low, high;
  for (std::size_t c = 0; c < config.dim_x; ++c) {
    low.push_back(config.range_low * normalisation.x_scale[c] + normalisation.x_shift[c]);
    high.push_back(config.range_high * normalisation.x_scale[c] + normalisation.x_shift[c]);
  }
  open(low, high);
}

PlainModel::PlainModel(const runtime::ModelData& data) : PlainModel(data.config, data.normalisation, to_double(data)) {}

const Matrix& PlainModel::tensor(const std::string& name) const { return tensors_.at(name); }

// Normalised x, then sin and cos of rising frequencies of it: [n][features_x].
Matrix PlainModel::features(const std::vector<double>& x) const {
  const std::size_t dx = config_.dim_x;
  Matrix result(x.size() / dx, config_.features_x());
  for (std::size_t n = 0; n < result.rows; ++n) {
    for (std::size_t c = 0; c < dx; ++c) {
      const double value = (x[n * dx + c] - normalisation_.x_shift[c]) / normalisation_.x_scale[c];
      result(n, c) = value;
      for (std::size_t k = 0; k < config_.fourier_features; ++k) {
        const double angle = std::ldexp(std::numbers::pi / 4 * value, static_cast<int>(k));
        result(n, dx * (1 + 2 * k) + c) = std::sin(angle);
        result(n, dx * (2 + 2 * k) + c) = std::cos(angle);
      }
    }
  }
  return result;
}

Matrix PlainModel::linear(const Matrix& x, const std::string& name) const {
  const auto bias = tensors_.find(name + ".bias");
  return times_transposed(x, tensor(name + ".weight"), bias == tensors_.end() ? nullptr : &bias->second);
}

Matrix PlainModel::norm(const Matrix& x, const std::string& name) const {
  return layer_norm(x, tensor(name + ".weight"), tensor(name + ".bias"));
}

Matrix PlainModel::mlp(Matrix x, const std::string& name, std::size_t depth) const {
  const std::size_t layers = std::max<std::size_t>(depth, 2);
  for (std::size_t i = 0; i < layers; ++i) {
    x = linear(x, name + "." + std::to_string(2 * i));
    if (i + 1 < layers) relu(x);
  }
  return x;
}

// A pre-norm attention sub-layer with its residual; among the queries themselves where there is no context.
Matrix PlainModel::attention(const Matrix& x, const Matrix* context, const std::string& name,
                             AttentionState* state) const {
  const Matrix queries = norm(x, name + ".norm");
  const Matrix source = context ? norm(*context, name + ".norm_context") : queries;
  const Matrix q = linear(queries, name + ".fn.to_q");
  const Matrix kv = linear(source, name + ".fn.to_kv");
  const std::size_t d = config_.d_model;
  Attention result = softmax_attention(q, columns(kv, 0, d), columns(kv, d, d), config_.nhead);
  const Matrix output = linear(result.output, name + ".fn.to_out");
  if (state) *state = {std::move(result.log_normaliser), std::move(result.output)};
  return add(output, config_.residual == Residual::normalised ? queries : x);
}

Matrix PlainModel::feed_forward(const Matrix& x, const std::string& name) const {
  const Matrix normalised = norm(x, name + ".norm");
  const Matrix both = linear(normalised, name + ".fn.net.0");
  Matrix gated(x.rows, both.cols / 2);
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < gated.cols; ++c) gated(r, c) = both(r, c) * gelu(both(r, gated.cols + c));
  }
  return add(linear(gated, name + ".fn.net.2"), config_.residual == Residual::normalised ? normalised : x);
}

Matrix PlainModel::embed(const Points& context) const {
  const Matrix x = contents(context.x);
  Matrix points(x.rows, x.cols + config_.dim_y);
  for (std::size_t n = 0; n < x.rows; ++n) {
    std::copy(x.row(n).begin(), x.row(n).end(), &points(n, 0));
    for (std::size_t c = 0; c < config_.dim_y; ++c) {
      points(n, x.cols + c) =
          (context.y[n * config_.dim_y + c] - normalisation_.y_shift[c]) / normalisation_.y_scale[c];
    }
  }
  return mlp(std::move(points), "embedder", config_.emb_depth);
}

Encoding PlainModel::encode(const Points& context) const {
  if (config_.relative()) return encode_relative(context);
  const Matrix embedded = embed(context);
  Encoding encoding;
  Matrix latents = tensor("latents");
  for (std::size_t i = 0; i < config_.num_layers; ++i) {
    const std::string block = "encoder.layers." + std::to_string(i) + ".";
    AttentionState state;
    Matrix own = attention(tensor(block + "latents"), &embedded, block + "layer_cross_attn", &state);
    own = feed_forward(own, block + "layer_cross_ff");
    own = attention(own, nullptr, block + "layer_latent_self_attn", nullptr);
    own = feed_forward(own, block + "layer_latent_ff");
    latents = attention(latents, &own, block + "cross_attn", nullptr);
    latents = feed_forward(latents, block + "cross_ff");
    latents = attention(latents, nullptr, block + "latent_self_attn", nullptr);
    latents = feed_forward(latents, block + "latent_ff");
    encoding.latents.push_back(latents);
    encoding.states.push_back(std::move(state));
  }
  return encoding;
}

Matrix PlainModel::decode(const Encoding& encoding, const std::vector<double>& x) const {
  if (config_.relative()) return decode_relative(encoding, x);
  Matrix tokens = mlp(features(x), "query_embedder", config_.emb_depth);
  for (std::size_t i = 0; i < config_.num_layers; ++i) {
    const std::string layer = "decoder.layers." + std::to_string(i) + ".";
    tokens = attention(tokens, &encoding.latents[i], layer + "cross_attn", nullptr);
    tokens = feed_forward(tokens, layer + "cross_ff");
  }
  return norm(tokens, "norm");
}

Diagonal PlainModel::predict(const Encoding& encoding, const std::vector<double>& x) const {
  if (config_.diagonal()) return diagonal_head(decode(encoding, x));
  Diagonal result;
  for (std::size_t n = 0; n < x.size() / config_.dim_x; ++n) {
    const Joint one = predict_joint(encoding, slice(x, n * config_.dim_x, config_.dim_x));
    append(result.mean, one.mean);
    for (std::size_t c = 0; c < config_.dim_y; ++c) {
      double variance = 0;
      for (const double entry : one.scale_tril.row(c)) variance += entry * entry;
      result.std.push_back(std::sqrt(variance));
    }
  }
  return result;
}

Joint PlainModel::predict_joint(const Encoding& encoding, const std::vector<double>& x) const {
  const Matrix tokens = decode(encoding, x);
  if (!config_.diagonal()) return covariance_head(tokens, x);
  Diagonal each = diagonal_head(tokens);
  Joint joint{std::move(each.mean), Matrix(each.std.size(), each.std.size())};
  for (std::size_t i = 0; i < each.std.size(); ++i) joint.scale_tril(i, i) = each.std[i];
  return joint;
}

double PlainModel::score(const Points& context, const Points& targets, std::size_t block) const {
  const std::size_t dx = config_.dim_x, dy = config_.dim_y, points = targets.x.size() / dx;
  Points seen = context;
  double sum = 0;
  const std::size_t step = block == 0 ? points : block;
  for (std::size_t first = 0; first < points; first += step) {
    const std::size_t count = std::min(step, points - first);
    const Points now{slice(targets.x, first * dx, count * dx), slice(targets.y, first * dy, count * dy)};
    sum += log_density(predict_joint(encode(seen), now.x), now.y);
    append(seen.x, now.x);
    append(seen.y, now.y);
  }
  return sum / static_cast<double>(points);
}

}  // namespace cmanp::testing
