// The definition of CMANP and CMANP-AND, as simple loops in double: whole-context softmax, no state, no chunks, nothing
// shared with src/kernels. What the runtime computes is tested against it.
#pragma once

#include <cmanp/config.hpp>
#include <map>
#include <string>
#include <vector>

#include "runtime/model_data.hpp"
#include "support/matrix.hpp"

namespace cmanp::testing {

// One task's points, raw, row-major: x holds n * dim_x numbers, y n * dim_y.
struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

// A block's first cross-attention after a context.
struct AttentionState {
  Matrix log_normaliser;  // [head][latent]; minus infinity for no points
  Matrix output;          // [latent][head * head_dim + i], before the output projection
};

struct Encoding {
  std::vector<Matrix> latents;         // of each block, [num_latents][latent_dim]
  std::vector<AttentionState> states;  // of each block
};

struct Diagonal {
  std::vector<double> mean, std;  // [target * dim_y + channel]
};

struct Joint {
  std::vector<double> mean;  // [target * dim_y + channel]
  Matrix scale_tril;         // lower Cholesky factor of the covariance, same index
};

class PlainModel {
 public:
  // Vectors (biases, norms) are matrices of one row.
  PlainModel(const Config& config, const Normalisation& normalisation, std::map<std::string, Matrix> tensors);
  explicit PlainModel(const runtime::ModelData& data);

  Encoding encode(const Points& context) const;

  // Each target by itself.
  Diagonal predict(const Encoding& encoding, const std::vector<double>& x) const;
  // All targets as one block.
  Joint predict_joint(const Encoding& encoding, const std::vector<double>& x) const;

  // Mean log-likelihood per target point by the chain rule in blocks: each block, its true y included, joins the
  // context of the next. Block 0 takes all targets at once.
  double score(const Points& context, const Points& targets, std::size_t block = 0) const;

  const Config& config() const { return config_; }

  // In relative coordinates: where latents lie, instead of over the range that the model was trained on. Raw units.
  void open(const std::vector<double>& low, const std::vector<double>& high);

 private:
  const Matrix& tensor(const std::string& name) const;
  Matrix features(const std::vector<double>& x) const;
  Matrix linear(const Matrix& x, const std::string& name) const;
  Matrix norm(const Matrix& x, const std::string& name) const;
  Matrix mlp(Matrix x, const std::string& name, std::size_t depth) const;
  Matrix attention(const Matrix& x, const Matrix* context, const std::string& name, AttentionState* state) const;
  Matrix relative_attention(const Matrix& x, const Matrix& places, const Matrix* context, const Matrix& context_places,
                            const std::string& name) const;
  Matrix whole(const std::vector<double>& x) const;       // x, normalised
  Matrix normalised(const std::vector<double>& x) const;  // its places alone
  Matrix contents(const std::vector<double>& x) const;
  Matrix embed(const Points& context) const;
  Encoding encode_relative(const Points& context) const;
  Matrix decode_relative(const Encoding& encoding, const std::vector<double>& x) const;
  Matrix feed_forward(const Matrix& x, const std::string& name) const;
  Matrix std_encoder(Matrix x, const std::vector<double>& at) const;
  Matrix decode(const Encoding& encoding, const std::vector<double>& x) const;
  Joint covariance_head(const Matrix& tokens, const std::vector<double>& x) const;
  Diagonal diagonal_head(const Matrix& tokens) const;

  Config config_;
  Normalisation normalisation_;
  std::map<std::string, Matrix> tensors_;
  Matrix grid_;  // [latent][dim_x], in relative coordinates
};

// log N(y; mean, L Lᵀ).
double log_density(const Joint& joint, std::span<const double> y);

}  // namespace cmanp::testing
