// Sequences as tensors: a token for each event behind a token that every sequence begins with, and what came after each
// of them.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "events/cmhp_config.hpp"
#include "events/sequences.hpp"

namespace cmanp::training::events {

using cmanp::events::EventDomain;
using cmanp::events::Sequence;
using cmanp::events::Window;

struct EventBatch {
  torch::Tensor features;  // [B, N, time features]; zeros for the first token and behind a sequence's end
  torch::Tensor marks;     // [B, N] whole numbers, likewise
  torch::Tensor places;    // [B, N] whole numbers: where a mark stood among the recent ones; their number: nowhere
  torch::Tensor recent;    // [B * N, recent marks] whole numbers: those after a token, the newest first; -1: none
  torch::Tensor ageing;    // [B, N, 2]: how much a token ages those before it, in events and in time

  // What the heads are asked: rows of the flattened [B * N], a sequence after the other.
  torch::Tensor rows;        // [R]: tokens that an event follows
  torch::Tensor next_gaps;   // [R]: its gap on the standardised log scale
  torch::Tensor next_marks;  // [R] whole numbers
  torch::Tensor last_rows;   // [S]: last tokens, where the window goes on behind them
  torch::Tensor last_gaps;   // [S]: for how long, on the same scale

  std::int64_t tokens() const { return features.size(1); }
};

// `recent_marks` are remembered of every sequence.
EventBatch make_batch(const std::vector<const Sequence*>& sequences, const EventDomain& domain, const Window& window,
                      std::int64_t recent_marks);

// Batches of one epoch: sequences in a random order, those of about one length together, so that few tokens are
// padding; at most `tokens` of them in a batch, or one sequence. The same for the same seed and epoch.
std::vector<std::vector<const Sequence*>> plan_epoch(const std::vector<Sequence>& sequences, std::int64_t tokens,
                                                     std::uint64_t seed, std::uint64_t epoch);

// The same without chance, for evaluation: in the order of length.
std::vector<std::vector<const Sequence*>> plan_evaluation(const std::vector<Sequence>& sequences, std::int64_t tokens);

}  // namespace cmanp::training::events
