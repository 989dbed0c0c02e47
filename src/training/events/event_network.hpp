// What all neural models of events have in common: tokens of events in, a mixture of log-normals for the next gap and
// logits of the next mark out. Models differ in what they make of a history.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>

#include "training/events/event_batch.hpp"
#include "training/modules/mlp.hpp"

namespace cmanp::training::events {

struct NetworkShape {
  std::int64_t d_model = 32, nhead = 2, dim_feedforward = 32, num_layers = 1;
  std::int64_t num_latents = 4, num_latents_per_layer = 8;  // of cmhp
  std::int64_t components = 16, head_width = 64;
  bool decay = true, last_token = true, previous_mark = true, normalisers = true;  // of cmhp
  std::int64_t recent_marks = 8;                                                   // 0: none
  double dropout = 0;                                                              // of the heads' inputs
  std::int64_t marks = 0;
};

struct Answers {
  torch::Tensor mixture;  // [R, 3 * components]: logits of weights, means, raw deviations, on the scale of gaps
  torch::Tensor marks;    // [R, marks] logits; undefined without marks
  torch::Tensor again;    // [R, 1 + recent marks] logits: any mark, by those above, or this one again; or undefined
  torch::Tensor recent;   // [R, recent marks]: which; see EventBatch
};

class EventNetwork : public torch::nn::Module {
 public:
  // What is said after the tokens `rows` of the flattened batch.
  Answers forward(const EventBatch& batch, const torch::Tensor& rows);

  virtual std::string model_name() const = 0;
  const NetworkShape& shape() const { return shape_; }

 protected:
  // A derived class says how wide its histories are.
  EventNetwork(const NetworkShape& shape, std::int64_t history_width);

  // [R, history width]; tokens [B, N, d_model].
  virtual torch::Tensor histories(const torch::Tensor& tokens, const EventBatch& batch, const torch::Tensor& rows) = 0;

 private:
  torch::Tensor tokens(const EventBatch& batch);

  NetworkShape shape_;
  std::shared_ptr<Mlp> time_embedding_, time_head_, mark_head_, recent_head_;
  torch::nn::Embedding mark_embedding_{nullptr}, previous_embedding_{nullptr}, recent_embedding_{nullptr};
  torch::Tensor start_token_;  // [d_model]
};

// "cmhp", "thp" or "gru", with fresh weights by the seed.
std::shared_ptr<EventNetwork> make_network(const std::string& model, const NetworkShape& shape, std::uint64_t seed);

// log density of gaps [R], and log probability of gaps longer than these [S], on the standardised log scale.
torch::Tensor mixture_log_density(const torch::Tensor& mixture, const torch::Tensor& gaps);
torch::Tensor mixture_log_survival(const torch::Tensor& mixture, const torch::Tensor& gaps);

// log probability of every mark [R, marks], and of these marks [R] alone, for answers that have marks.
torch::Tensor mark_log_probabilities(const Answers& answers);
torch::Tensor log_probability_of(const Answers& answers, const torch::Tensor& marks);

// Minus the log-likelihood of a batch per event asked for, where only a share of them is asked; undefined where the
// batch has nothing to predict. `picked` are places among batch.rows.
torch::Tensor event_loss(EventNetwork& network, const EventBatch& batch, const torch::Tensor& picked);

}  // namespace cmanp::training::events
