// Small sequences and networks for tests of event models.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "training/events/event_network.hpp"

namespace cmanp::testing {

using training::events::EventBatch;
using training::events::EventDomain;
using training::events::EventNetwork;
using training::events::NetworkShape;
using training::events::Sequence;
using training::events::Window;

// Irregular gaps, among them a tie; three marks.
inline Sequence small_sequence(std::size_t events, int kind = 0) {
  Sequence sequence{std::to_string(kind), {}, {}, 0};
  double time = 0.5;
  for (std::size_t i = 0; i < events; ++i) {
    const double x = static_cast<double>(i) + 10 * kind;
    time += i == 3 ? 0.0 : 0.05 + 2 * std::pow(std::sin(1.3 * x + kind), 2);
    sequence.times.push_back(time);
    sequence.marks.push_back(static_cast<std::uint32_t>((3 * i + i * i / 2 + static_cast<std::size_t>(kind)) % 3));
  }
  return sequence;
}

inline EventDomain small_domain(bool marked = true) {
  EventDomain domain;
  domain.scale = {-0.5, 1.2, 0.02, 12};
  domain.from = 0.0;
  if (marked) domain.mark_names = {"a", "b", "c"};
  return domain;
}

inline NetworkShape small_shape(bool marked = true) {
  NetworkShape shape;
  shape.d_model = 16;
  shape.nhead = 2;
  shape.dim_feedforward = 16;
  shape.num_layers = 2;
  shape.num_latents = 3;
  shape.num_latents_per_layer = 4;
  shape.components = 4;
  shape.head_width = 16;
  shape.marks = marked ? 3 : 0;
  shape.recent_marks = 2;  // not all of them
  return shape;
}

}  // namespace cmanp::testing
