// The neural models of events: what each makes of a history.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "events/cmhp_config.hpp"
#include "training/events/event_network.hpp"
#include "training/modules/cmab.hpp"
#include "training/modules/transformer.hpp"

namespace cmanp::training::events {

// The Constant Memory Hawkes Process: CMABs over the set of past events. Every prefix's states come from one pass, as a
// block's queries are fixed; only what follows the first cross-attention is computed prefix by prefix.
class Cmhp : public EventNetwork {
 public:
  explicit Cmhp(const NetworkShape& shape);

  std::string model_name() const override { return "cmhp"; }

 private:
  torch::Tensor histories(const torch::Tensor& tokens, const EventBatch& batch, const torch::Tensor& rows) override;

  torch::Tensor latents_;  // [num_latents, d_model]
  std::shared_ptr<CmabEncoder> encoder_;
  torch::nn::LayerNorm norm_{nullptr};
  torch::Tensor decay_;  // [2, blocks, heads, latents]: log rates, in events and in time; undefined without
};

// The shape of a Cmhp as its file has it.
cmanp::events::CmhpConfig lean_config(const NetworkShape& shape);

// The Transformer Hawkes Process: causal self-attention over events.
class Thp : public EventNetwork {
 public:
  explicit Thp(const NetworkShape& shape);

  std::string model_name() const override { return "thp"; }

  // Keys and values of past events: what a stream of events has to keep, ever more of it.
  struct Past {
    KeysValues kept;         // [1, heads, room, h]
    std::int64_t count = 0;  // of it, used
  };
  // The history after one event more, token [1, 1, d_model]; `past` has an entry a layer, or none before the first.
  torch::Tensor step(const torch::Tensor& token, std::vector<Past>& past);

  TransformerEncoder& encoder() { return *encoder_; }

 private:
  torch::Tensor histories(const torch::Tensor& tokens, const EventBatch& batch, const torch::Tensor& rows) override;

  std::shared_ptr<TransformerEncoder> encoder_;
};

// The intensity-free model's recurrent network.
class GruModel : public EventNetwork {
 public:
  explicit GruModel(const NetworkShape& shape);

  std::string model_name() const override { return "gru"; }

 private:
  torch::Tensor histories(const torch::Tensor& tokens, const EventBatch& batch, const torch::Tensor& rows) override;

  torch::nn::GRU gru_{nullptr};
};

}  // namespace cmanp::training::events
