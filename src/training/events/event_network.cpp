#include "training/events/event_network.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <numbers>

#include "events/time_scale.hpp"
#include "training/events/event_model_kind.hpp"
#include "training/initialise.hpp"

namespace cmanp::training::events {
namespace {

constexpr std::int64_t kDepth = 2;     // linear layers of embeddings and heads
constexpr double kImpossible = -1e30;  // a logit: with minus infinity, gradients would be no numbers

// The parts of a head's answer [R, 3K]; deviations as their logarithm, bounded as in the lean half.
struct Mixture {
  torch::Tensor log_weights, means, log_deviations;

  explicit Mixture(const torch::Tensor& raw) {
    const auto parts = raw.chunk(3, -1);
    log_weights = torch::log_softmax(parts[0], -1);
    means = parts[1];
    log_deviations = torch::tanh(parts[2] / 4) * 4 - 1;
  }
};

void draw_weights(EventNetwork& network, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const torch::Generator generator = at::detail::createCPUGenerator(seed);
  const auto parameters = network.named_parameters();
  for (const auto& item : parameters) {
    const std::string& name = item.key();
    torch::Tensor parameter = item.value();
    const auto normal = [&] { return torch::randn(parameter.sizes(), generator, torch::kFloat64); };
    const auto uniform = [&] { return torch::rand(parameter.sizes(), generator, torch::kFloat64); };
    const auto within = [&](double bound) { return uniform().mul_(2).sub_(1).mul_(bound); };
    if (name.ends_with("latents") || name == "start_token" || name.ends_with("embedding.weight")) {
      parameter.copy_(normal());
    } else if (name == "decay") {
      // Every second latent forgets by events, after a third of one to a thousand, the others by time, after one to
      // a hundred thousand typical gaps; the other rate of each is next to nothing.
      const torch::Tensor by_events = torch::arange(parameter.size(3)).remainder(2).eq(0);
      const torch::Tensor share = uniform();
      parameter.select(0, 0).copy_(
          torch::where(by_events, std::log(3.0) - share[0] * std::log(3000.0), std::log(1e-4)));
      parameter.select(0, 1).copy_(torch::where(by_events, std::log(1e-7), share[1] * -std::log(1e5)));
    } else if (is_norm_parameter(name)) {
      parameter.fill_(name.ends_with("weight") ? 1 : 0);
    } else if (parameter.dim() == 2) {
      parameter.copy_(within(1 / std::sqrt(static_cast<double>(parameter.size(1)))));
    } else {
      parameter.zero_();
    }
  }
  // The mixture starts as an even one, spread over the gaps that there are.
  const torch::Tensor bias = parameters["time_head.2.bias"];
  const std::int64_t components = network.shape().components;
  bias.narrow(0, components, components).copy_(torch::linspace(-2, 2, components));
}

}  // namespace

EventNetwork::EventNetwork(const NetworkShape& shape, std::int64_t history_width) : shape_(shape) {
  const std::int64_t d = shape.d_model;
  const auto mlp = [&](const char* name, std::int64_t in, std::int64_t hidden, std::int64_t out) {
    return register_module(name, std::make_shared<Mlp>(in, hidden, out, kDepth));
  };
  time_embedding_ = mlp("time_embedding", static_cast<std::int64_t>(cmanp::events::kTimeFeatures), d, d);
  start_token_ = register_parameter("start_token", torch::zeros({d}));
  time_head_ = mlp("time_head", history_width, shape.head_width, 3 * shape.components);
  if (shape.marks == 0) return;
  mark_embedding_ = register_module("mark_embedding", torch::nn::Embedding(shape.marks, d));
  if (shape.previous_mark) {
    previous_embedding_ = register_module("previous_embedding", torch::nn::Embedding(shape.marks, d));
  }
  mark_head_ = mlp("mark_head", history_width, shape.head_width, shape.marks);
  if (shape.recent_marks == 0) return;
  recent_embedding_ = register_module("recent_embedding", torch::nn::Embedding(shape.recent_marks + 1, d));
  recent_head_ = mlp("recent_head", history_width, shape.head_width, shape.recent_marks + 1);
}

torch::Tensor EventNetwork::tokens(const EventBatch& batch) {
  torch::Tensor events = time_embedding_->forward(batch.features.to(start_token_.scalar_type()));
  if (mark_embedding_) events = events + mark_embedding_(batch.marks);
  if (recent_embedding_) events = events + recent_embedding_(batch.places);
  if (previous_embedding_ && batch.tokens() > 2) {  // the first event, behind the token that begins, has none before
    const torch::Tensor before = previous_embedding_(batch.marks.narrow(1, 1, batch.tokens() - 2));
    events = events + torch::constant_pad_nd(before, {0, 0, 2, 0});
  }
  const torch::Tensor start = start_token_.expand({events.size(0), 1, -1});
  return torch::cat({start, events.narrow(1, 1, events.size(1) - 1)}, 1);
}

Answers EventNetwork::forward(const EventBatch& batch, const torch::Tensor& rows) {
  torch::Tensor history = histories(tokens(batch), batch, rows);
  if (shape_.dropout > 0) history = torch::dropout(history, shape_.dropout, is_training());
  Answers answers;
  answers.mixture = time_head_->forward(history);
  if (mark_head_) answers.marks = mark_head_->forward(history);
  if (recent_head_) {
    answers.recent = batch.recent.index_select(0, rows);
    const torch::Tensor unknown = torch::constant_pad_nd(answers.recent.lt(0), {1, 0, 0, 0}, false);
    answers.again = recent_head_->forward(history).masked_fill(unknown, kImpossible);
  }
  return answers;
}

std::shared_ptr<EventNetwork> make_network(const std::string& model, const NetworkShape& shape, std::uint64_t seed) {
  const std::shared_ptr<EventNetwork> network = event_model_kinds().at(model).make(shape);
  draw_weights(*network, seed);
  return network;
}

torch::Tensor mixture_log_density(const torch::Tensor& mixture, const torch::Tensor& gaps) {
  const Mixture m(mixture);
  const torch::Tensor z = (gaps.unsqueeze(-1) - m.means) * torch::exp(-m.log_deviations);
  return torch::logsumexp(m.log_weights - m.log_deviations - z * z / 2, -1) - 0.5 * std::log(2 * std::numbers::pi);
}

torch::Tensor mixture_log_survival(const torch::Tensor& mixture, const torch::Tensor& gaps) {
  const Mixture m(mixture.to(torch::kFloat64));  // erfc goes to zero early in float
  const torch::Tensor z = (gaps.to(torch::kFloat64).unsqueeze(-1) - m.means) * torch::exp(-m.log_deviations);
  const torch::Tensor survival = torch::erfc(z / std::numbers::sqrt2).mul(0.5).clamp_min(1e-300);
  return torch::logsumexp(m.log_weights + torch::log(survival), -1).to(mixture.scalar_type());
}

torch::Tensor mark_log_probabilities(const Answers& answers) {
  const torch::Tensor any = torch::log_softmax(answers.marks, -1);
  if (!answers.again.defined()) return any;
  const torch::Tensor ways = torch::softmax(answers.again, -1);
  const torch::Tensor again = ways.narrow(1, 1, answers.recent.size(1));
  return (any.exp() * ways.narrow(1, 0, 1)).scatter_add(1, answers.recent.clamp_min(0), again).log();
}

torch::Tensor log_probability_of(const Answers& answers, const torch::Tensor& marks) {
  const torch::Tensor column = marks.unsqueeze(-1);
  const torch::Tensor any = torch::log_softmax(answers.marks, -1).gather(1, column);
  if (!answers.again.defined()) return any.squeeze(-1);
  const torch::Tensor ways = torch::log_softmax(answers.again, -1);
  const torch::Tensor again =
      ways.narrow(1, 1, answers.recent.size(1)).masked_fill(answers.recent.ne(column), kImpossible);
  return torch::logsumexp(torch::cat({any + ways.narrow(1, 0, 1), again}, 1), 1);
}

torch::Tensor event_loss(EventNetwork& network, const EventBatch& batch, const torch::Tensor& picked) {
  const std::int64_t asked = picked.numel(), last = batch.last_rows.numel();
  if (asked + last == 0) return {};
  const torch::Tensor rows = torch::cat({batch.rows.index_select(0, picked), batch.last_rows});
  const Answers answers = network.forward(batch, rows);
  const auto type = answers.mixture.scalar_type();
  torch::Tensor sum = torch::zeros({}, answers.mixture.options());
  if (asked > 0) {
    sum =
        sum + mixture_log_density(answers.mixture.narrow(0, 0, asked), batch.next_gaps.index_select(0, picked).to(type))
                  .sum();
    if (answers.marks.defined()) {
      const auto first = [&](const torch::Tensor& t) { return t.defined() ? t.narrow(0, 0, asked) : t; };
      const Answers of_marks{{}, first(answers.marks), first(answers.again), first(answers.recent)};
      sum = sum + log_probability_of(of_marks, batch.next_marks.index_select(0, picked)).sum();
    }
  }
  if (last > 0) {
    // As many events stand for the batch as were picked: its last intervals count by the same share.
    const double share =
        batch.rows.numel() > 0 ? static_cast<double>(asked) / static_cast<double>(batch.rows.numel()) : 1;
    sum = sum + share * mixture_log_survival(answers.mixture.narrow(0, asked, last), batch.last_gaps).sum();
  }
  return -sum / static_cast<double>(std::max<std::int64_t>(asked, 1));
}

}  // namespace cmanp::training::events
