// PlainModel in relative coordinates: attention by differences of places alone, as docs/mathematics.md derives it, with
// nothing turned at its own place.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/plain_layers.hpp"
#include "support/plain_model.hpp"

namespace cmanp::testing {
namespace {

// A head's features, pairs (i, i + half) turned by the angles of a difference of places.
std::vector<double> turned(std::span<const double> features, std::span<const double> angles) {
  const std::size_t half = features.size() / 2;
  std::vector<double> result(features.size());
  for (std::size_t i = 0; i < half; ++i) {
    const double c = std::cos(angles[i]), s = std::sin(angles[i]);
    result[i] = features[i] * c - features[half + i] * s;
    result[half + i] = features[i] * s + features[half + i] * c;
  }
  return result;
}

}  // namespace

Matrix PlainModel::whole(const std::vector<double>& x) const {
  Matrix result(x.size() / config_.dim_x, config_.dim_x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i % config_.dim_x;
    result.values[i] = (x[i] - normalisation_.x_shift[c]) / normalisation_.x_scale[c];
  }
  return result;
}

// Places alone.
Matrix PlainModel::normalised(const std::vector<double>& x) const {
  const Matrix all = whole(x);
  Matrix places(all.rows, config_.axes());
  for (std::size_t r = 0; r < all.rows; ++r) {
    for (std::size_t c = 0; c < places.cols; ++c) places(r, c) = all(r, c);
  }
  return places;
}

// What contents know of x: all of it, or what is no place.
Matrix PlainModel::contents(const std::vector<double>& x) const {
  if (!config_.relative() || config_.absolute_features) return features(x);
  const Matrix all = whole(x);
  Matrix rest(all.rows, config_.features);
  for (std::size_t r = 0; r < all.rows; ++r) {
    for (std::size_t c = 0; c < rest.cols; ++c) rest(r, c) = all(r, config_.dim_x - config_.features + c);
  }
  return rest;
}

// One point beyond each end, and as many between as the spacing asks for; the last x runs fastest.
void PlainModel::open(const std::vector<double>& low, const std::vector<double>& high) {
  grid_ = Matrix(1, 0);
  for (std::size_t c = 0; c < config_.axes(); ++c) {
    const auto own = [&](double x) { return (x - normalisation_.x_shift[c]) / normalisation_.x_scale[c]; };
    const double from = own(low[c]), length = own(high[c]) - from;
    const auto steps = static_cast<std::size_t>(std::ceil(length / config_.spacing - 1e-6)) + 2;
    Matrix more(grid_.rows * (steps + 1), c + 1);
    for (std::size_t r = 0; r < more.rows; ++r) {
      for (std::size_t k = 0; k < c; ++k) more(r, k) = grid_(r / (steps + 1), k);
      const double from_centre = static_cast<double>(r % (steps + 1)) - 0.5 * static_cast<double>(steps);
      more(r, c) = from + 0.5 * length + from_centre * config_.spacing;
    }
    grid_ = more;
  }
}

Matrix PlainModel::relative_attention(const Matrix& x, const Matrix& places, const Matrix* context,
                                      const Matrix& context_places, const std::string& name) const {
  const Matrix queries = norm(x, name + ".norm");
  const Matrix q = linear(queries, name + ".fn.to_q");
  const Matrix kv = linear(context ? norm(*context, name + ".norm_context") : queries, name + ".fn.to_kv");
  const std::size_t heads = config_.nhead, dim = config_.head_dim(), half = dim / 2, keys = kv.rows;
  const bool has_null = tensors_.contains(name + ".null_score");
  const double longest = config_.longest_length * config_.spacing;
  Matrix output(x.rows, config_.d_model);
  for (std::size_t h = 0; h < heads; ++h) {
    const double gamma = std::max(std::exp(tensor(name + ".log_gamma")(0, h)), 1 / (2 * longest * longest));
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::vector<double> scores, values;
      for (std::size_t j = 0; j < keys; ++j) {
        double squared = 0;
        std::vector<double> angles(half, 0.0);
        for (std::size_t c = 0; c < config_.axes(); ++c) {
          const double apart = context_places(j, c) - places(i, c);
          squared += apart * apart;
          for (std::size_t k = 0; k < half; ++k) {
            const double along = config_.axes() == 1 ? 1 : tensor(name + ".direction")(h * half + k, c);
            angles[k] += std::exp(tensor(name + ".log_omega")(h, k)) * along * apart;
          }
        }
        const std::vector<double> key = turned(kv.row(j).subspan(h * dim, dim), angles);
        const std::vector<double> value = turned(kv.row(j).subspan(config_.d_model + h * dim, dim), angles);
        double dot = 0;
        for (std::size_t k = 0; k < dim; ++k) dot += q(i, h * dim + k) * key[k];
        scores.push_back(dot / std::sqrt(static_cast<double>(dim)) - gamma * squared);
        values.insert(values.end(), value.begin(), value.end());
      }
      if (has_null) {
        scores.push_back(tensor(name + ".null_score")(0, h));
        const auto null = tensor(name + ".null_value").row(h);
        values.insert(values.end(), null.begin(), null.end());
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - largest);
      for (std::size_t j = 0; j < scores.size(); ++j) {
        for (std::size_t k = 0; k < dim; ++k) output(i, h * dim + k) += scores[j] / sum * values[j * dim + k];
      }
    }
  }
  return add(linear(output, name + ".fn.to_out"), config_.residual == Residual::normalised ? queries : x);
}

Encoding PlainModel::encode_relative(const Points& context) const {
  const auto everywhere = [this](const Matrix& row) {
    Matrix rows(grid_.rows, row.cols);
    for (std::size_t r = 0; r < rows.rows; ++r) std::copy(row.values.begin(), row.values.end(), &rows(r, 0));
    return rows;
  };
  const Matrix embedded = embed(context), places = normalised(context.x);
  Encoding encoding;
  Matrix latents = everywhere(tensor("latents"));
  for (std::size_t i = 0; i < config_.num_layers; ++i) {
    const std::string block = "encoder.layers." + std::to_string(i) + ".";
    Matrix own = everywhere(tensor(block + "latents"));
    own = relative_attention(own, grid_, &embedded, places, block + "layer_cross_attn");
    own = feed_forward(own, block + "layer_cross_ff");
    own = relative_attention(own, grid_, nullptr, grid_, block + "layer_latent_self_attn");
    own = feed_forward(own, block + "layer_latent_ff");
    latents = relative_attention(latents, grid_, &own, grid_, block + "cross_attn");
    latents = feed_forward(latents, block + "cross_ff");
    latents = relative_attention(latents, grid_, nullptr, grid_, block + "latent_self_attn");
    latents = feed_forward(latents, block + "latent_ff");
    encoding.latents.push_back(latents);
  }
  return encoding;
}

Matrix PlainModel::decode_relative(const Encoding& encoding, const std::vector<double>& x) const {
  const Matrix places = normalised(x);
  Matrix tokens(places.rows, config_.d_model);
  if (config_.content_x() > 0) {
    tokens = mlp(contents(x), "query_embedder", config_.emb_depth);
  } else {
    for (std::size_t r = 0; r < tokens.rows; ++r) {
      std::copy(tensor("query_latents").values.begin(), tensor("query_latents").values.end(), &tokens(r, 0));
    }
  }
  for (std::size_t i = 0; i < config_.num_layers; ++i) {
    const std::string layer = "decoder.layers." + std::to_string(i) + ".";
    tokens = relative_attention(tokens, places, &encoding.latents[i], grid_, layer + "cross_attn");
    tokens = feed_forward(tokens, layer + "cross_ff");
  }
  return norm(tokens, "norm");
}

}  // namespace cmanp::testing
