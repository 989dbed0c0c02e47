// The one interface to every model of the family: loss of a batch, its log-likelihood, predictions and samples.
// Nothing here turns gradients off: evaluate under torch::NoGradGuard.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>

#include "training/batch.hpp"
#include "training/model_config.hpp"
#include "training/random_source.hpp"

namespace cmanp::training {

struct Prediction {
  torch::Tensor mean, std;   // [B, M, dy], of each target and channel
  torch::Tensor scale_tril;  // joint models: [B, M dy, M dy], index = target * dy + channel; else undefined
};

// What evaluation asks of a batch: how likely its targets are, and what is said of each.
struct Judged {
  torch::Tensor log_likelihood;
  Prediction each;
};

class NeuralProcess : public torch::nn::Module {
 public:
  // What training minimises, a scalar.
  torch::Tensor loss(const Batch& batch);

  // What evaluation reports, a scalar: the log-likelihood of a target point, its channels summed, averaged over points
  // and tasks. Context points are scored by a batch that has them as targets.
  torch::Tensor log_likelihood(const Batch& batch);

  // Stochastic models answer with mean and deviation of their mixture. Joint ones take all targets as one block.
  Prediction predict(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt);

  // Mean and deviation of each target by itself, whatever else is asked for; no scale_tril.
  Prediction predict_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt);

  // log_likelihood and predict_each of the batch's targets; of one answer where the model answers each by itself.
  Judged judge(const Batch& batch);

  // Whether log_likelihood scores the targets of a task together, so that it matters which ones are.
  virtual bool scores_jointly() const { return false; }

  // Draws at all targets of a task, as much of one function as the model knows: [S, B, M, dy].
  torch::Tensor samples(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                        torch::Generator generator);

  // Context points as tokens [B, N, d_model]; undefined for models that do not embed a point by itself.
  virtual torch::Tensor embed(const torch::Tensor& /*x*/, const torch::Tensor& /*y*/) const { return {}; }

  const std::string& model_name() const { return name_; }
  std::int64_t parameter_count() const;

  // Settings that do not change weights (samples, b_C, b_Q) may be changed at any time.
  ModelConfig& settings() { return config_; }
  const ModelConfig& config() const { return config_; }

  // For latents, bootstraps and noise in loss, log_likelihood and predict; a generator with seed 0 unless given.
  void use(torch::Generator generator) { random_ = std::make_shared<GeneratorSource>(std::move(generator)); }
  void use(std::shared_ptr<RandomSource> source) { random_ = std::move(source); }

 protected:
  NeuralProcess(std::string name, const ModelConfig& config);

  RandomSource& random() { return *random_; }

 private:
  virtual torch::Tensor compute_loss(const Batch& batch) = 0;
  virtual torch::Tensor compute_log_likelihood(const Batch& batch) = 0;
  virtual Prediction compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) = 0;
  virtual Prediction compute_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
    return compute_prediction(xc, yc, xt);
  }
  virtual Judged compute_judged(const Batch& batch) {
    return {compute_log_likelihood(batch), compute_each(batch.xc, batch.yc, batch.xt)};
  }
  virtual torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                             std::int64_t count, RandomSource& source) = 0;
  // Whether the model has an answer before the first context point.
  virtual bool accepts_empty_context() const { return false; }

  void check(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) const;
  void check(const Batch& batch) const;

  std::string name_;
  ModelConfig config_;
  std::shared_ptr<RandomSource> random_;
};

// A model with fresh weights, the same for the same seed. Throws Error for an unknown name, with the nearest known one,
// and for settings out of bounds.
std::shared_ptr<NeuralProcess> make_model(const std::string& name, const ModelConfig& config, std::uint64_t seed = 0);

}  // namespace cmanp::training
