#include "events/event_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <span>
#include <utility>

namespace cmanp::events {

using kernels::padded;

std::size_t SequenceState::bytes() const {
  std::size_t sum = token.bytes() + recent.bytes() + sizeof(SequenceState);
  for (const auto& block : blocks) sum += block.bytes();
  return sum;
}

EventEngine::EventEngine(std::shared_ptr<const EventModel> model) : model_(std::move(model)) {
  const CmhpConfig& config = model_->config;
  const runtime::Weights& encoder = model_->encoder;
  const std::size_t answers = padded(std::max({3 * config.components, config.marks, config.recent_marks + 1}));
  std::size_t mlp = std::max(model_->time_embedding.scratch(1), model_->time_head.scratch(1));
  for (const auto& head : {&model_->mark_head, &model_->recent_head}) {
    if (*head) mlp = std::max(mlp, (*head)->scratch(1));
  }
  // Once over nothing, to measure; once over memory.
  for (int pass = 0; pass < 2; ++pass) {
    kernels::Cursor cursor(scratch_.data());
    token_.emplace(encoder, 1, cursor);
    encode_.emplace(encoder, cursor);
    features_ = cursor.take(kTimeFeatures);
    head_inputs_ = cursor.take(config.head_inputs());
    answers_ = cursor.take(answers);
    mlp_ = cursor.take(mlp);
    if (pass == 0) scratch_ = kernels::Buffer<float>(cursor.used());
  }
  for (std::size_t b = 0; b < config.num_layers; ++b) {
    chunks_.emplace_back(encoder.heads(), config.num_latents_per_layer);
    chunk_bytes_ += chunks_.back().bytes();
  }
  ageing_.resize(config.states());
}

SequenceState EventEngine::begin() {
  const CmhpConfig& config = model_->config;
  SequenceState state;
  state.origin = state.last_time = model_->domain.from.value_or(0.0);
  state.token = model_->start_token;
  state.recent = RecentMarks(config.recent_marks);
  for (std::size_t b = 0; b < config.num_layers; ++b) {
    state.blocks.emplace_back(model_->encoder.heads(), config.num_latents_per_layer);
  }
  absorb(state);
  return state;
}

void EventEngine::absorb(SequenceState& state) {
  std::copy(state.token.begin(), state.token.end(), token_->embedded);
  runtime::attend_tokens(model_->encoder, 1, *token_, chunks_);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) state.blocks[b].absorb(chunks_[b]);
}

void EventEngine::observe(SequenceState& state, double time, std::uint32_t mark) {
  const CmhpConfig& config = model_->config;
  const EventDomain& domain = model_->domain;
  const bool has_gap = state.events > 0 || domain.from.has_value();
  if (!std::isfinite(time) || time < 0) throw Error(fmt::format("time {} is not a finite number from 0 on", time));
  if (has_gap && time < state.last_time) {
    throw Error(
        fmt::format("time {} comes after {}; a sequence's events must be in the order of time", time, state.last_time));
  }
  if (config.marks > 0 && mark >= config.marks) {
    throw Error(fmt::format("there is no mark number {}", mark), ErrorKind::argument);
  }
  if (!has_gap) state.origin = state.last_time = time;
  const EventTime when{time - state.origin, time - state.last_time, has_gap, state.events};

  write_time_features(domain.scale, when, std::span<float, kTimeFeatures>(features_, kTimeFeatures));
  model_->time_embedding.run(features_, padded(kTimeFeatures), 1, state.token.data(), mlp_);
  const auto add = [&](const kernels::Buffer<float>& table, std::uint32_t row) {
    for (std::size_t i = 0; i < config.d_model; ++i) state.token[i] += table[row * config.d_model + i];
  };
  if (config.marks > 0) add(model_->mark_embedding, mark);
  if (config.recent_marks > 0) add(model_->recent_embedding, static_cast<std::uint32_t>(state.recent.place_of(mark)));
  if (config.marks > 0 && config.previous_mark && state.events > 0) add(model_->previous_embedding, state.last_mark);
  if (config.decay) {
    const Ageing ageing = ageing_of(domain.scale, when);
    const std::size_t rows = ageing_.size() / config.num_layers;
    for (std::size_t i = 0; i < ageing_.size(); ++i) {
      ageing_[i] = model_->event_rates[i] * ageing.events + model_->time_rates[i] * ageing.time;
    }
    for (std::size_t b = 0; b < config.num_layers; ++b) state.blocks[b].age(ageing_.data() + b * rows);
  }
  absorb(state);
  state.last_time = time;
  state.last_mark = mark;
  state.recent.see(mark);
  ++state.events;
}

void EventEngine::write_head_inputs(const SequenceState& state, const float* latents) {
  const CmhpConfig& config = model_->config;
  const std::size_t d = config.d_model;
  float* to = head_inputs_;
  for (std::size_t i = 0; i < config.num_latents; ++i) to = std::copy_n(latents + i * padded(d), d, to);
  if (config.last_token) to = std::copy_n(state.token.data(), d, to);
  if (!config.normalisers) return;
  for (const auto& block : state.blocks) {
    for (std::size_t row = 0; row < block.max.size(); ++row) {
      const double normaliser = block.log_normaliser(row);  // log(1 + exp(it)): zero where there is nothing
      *to++ = static_cast<float>(std::max(normaliser, 0.0) + std::log1p(std::exp(-std::abs(normaliser))));
    }
  }
}

Forecast EventEngine::forecast(const SequenceState& state) {
  const CmhpConfig& config = model_->config;
  for (std::size_t b = 0; b < config.num_layers; ++b) {
    runtime::encode_block(model_->encoder, b, state.blocks[b], *encode_);
  }
  const std::size_t ld = padded(config.d_model);
  kernels::layer_norm(model_->norm, encode_->latents, ld, config.num_latents, encode_->latents, ld);
  write_head_inputs(state, encode_->latents);

  model_->time_head.run(head_inputs_, padded(config.head_inputs()), 1, answers_, mlp_);
  Forecast forecast;
  forecast.gap = make_mixture({answers_, answers_ + 3 * config.components}, model_->domain.scale.log_mean,
                              model_->domain.scale.log_std);
  if (model_->mark_head) forecast.marks = mark_probabilities(state.recent);
  return forecast;
}

std::vector<double> EventEngine::probabilities(const runtime::Mlp& head, std::size_t count) {
  head.run(head_inputs_, padded(model_->config.head_inputs()), 1, answers_, mlp_);
  const double largest = static_cast<double>(*std::max_element(answers_, answers_ + count));
  std::vector<double> result(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += result[i] = std::exp(static_cast<double>(answers_[i]) - largest);
  for (double& probability : result) probability /= sum;
  return result;
}

std::vector<double> EventEngine::mark_probabilities(const RecentMarks& recent) {
  std::vector<double> marks = probabilities(*model_->mark_head, model_->config.marks);
  if (!model_->recent_head) return marks;
  // First that it is any mark, then that it is one of those that are remembered, the newest first.
  const std::vector<double> again = probabilities(*model_->recent_head, 1 + recent.marks().size());
  for (double& probability : marks) probability *= again[0];
  for (std::size_t place = 0; place < recent.marks().size(); ++place) marks[recent.marks()[place]] += again[1 + place];
  return marks;
}

}  // namespace cmanp::events
