// What a model says of the next event of a sequence, after any number of events, in memory and time that do not grow
// with that number. One engine serves any number of sequences, each with a state of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "events/event_model.hpp"
#include "events/mixture.hpp"
#include "events/recent_marks.hpp"
#include "kernels/attention_state.hpp"
#include "runtime/absorber.hpp"
#include "runtime/encoder.hpp"

namespace cmanp::events {

// All that a sequence's events left behind.
struct SequenceState {
  std::uint64_t events = 0;
  double origin = 0;     // of its clock; set by the first event where the model has none
  double last_time = 0;  // of the last event; the origin before the first
  std::uint32_t last_mark = 0;
  RecentMarks recent;
  std::vector<kernels::AttentionState> blocks;
  kernels::Buffer<float> token;  // of the last event

  std::size_t bytes() const;
};

using Forecast = EventForecast;

class EventEngine {
 public:
  explicit EventEngine(std::shared_ptr<const EventModel> model);

  // A sequence that has seen nothing.
  SequenceState begin();

  // Takes in an event; `mark` is ignored by a model without marks. Throws Error, and changes nothing, where the time is
  // not finite, negative or before the last one.
  void observe(SequenceState& state, double time, std::uint32_t mark);

  Forecast forecast(const SequenceState& state);

  const EventModel& model() const { return *model_; }
  std::size_t bytes() const { return scratch_.bytes() + chunk_bytes_; }  // of working space

 private:
  void absorb(SequenceState& state);  // its token
  void write_head_inputs(const SequenceState& state, const float* latents);
  std::vector<double> probabilities(const runtime::Mlp& head, std::size_t count);  // of the head's first answers
  std::vector<double> mark_probabilities(const RecentMarks& recent);

  std::shared_ptr<const EventModel> model_;
  kernels::Buffer<float> scratch_;
  std::optional<runtime::TokenSpace> token_;
  std::optional<runtime::EncodeSpace> encode_;
  float* features_;     // of time
  float* head_inputs_;  // [padded(head_inputs)]
  float* answers_;      // of any head
  float* mlp_;
  std::vector<kernels::AttentionChunk> chunks_;
  std::size_t chunk_bytes_ = 0;
  std::vector<double> ageing_;
};

}  // namespace cmanp::events
