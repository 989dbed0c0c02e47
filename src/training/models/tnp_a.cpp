#include "training/models/tnp_a.hpp"

#include <vector>

#include "training/models/diagonal_model.hpp"

namespace cmanp::training {
namespace {

// How many tokens each token sees, from the first on, of context, known targets and targets to predict: all see the
// context; a known one sees itself and those before it; the one to predict at place `first` + i sees the known ones
// before that place.
torch::Tensor visible_tokens(std::int64_t context, std::int64_t known, std::int64_t asked, std::int64_t first,
                             torch::Device device) {
  const auto counts = torch::dtype(torch::kInt64).device(device);
  return torch::cat({torch::full({context}, context, counts), torch::arange(1, known + 1, counts) + context,
                     (torch::arange(asked, counts) + first).clamp_max(known) + context});
}

}  // namespace

TnpA::TnpA(const ModelConfig& model_config)
    : NeuralProcess("tnpa", model_config), trunk_(*this, config()), predictor_(register_predictor(*this, config())) {}

Normal TnpA::forward(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                     const torch::Tensor& known) {
  const std::int64_t context = xc.size(1), targets = xt.size(1);
  const torch::Tensor tokens = torch::cat({trunk_.embed(xc, yc), trunk_.embed(xt, known), trunk_.embed(xt)}, 1);
  const torch::Tensor seen =
      trunk_.encoder().forward(tokens, visible_tokens(context, targets, targets, 0, xc.device()));
  return normal_from(predictor_->forward(seen.narrow(1, context + targets, targets)), config());
}

Normal TnpA::forward_next(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                          const torch::Tensor& known) {
  const std::int64_t context = xc.size(1), before = known.size(1);
  const torch::Tensor tokens = torch::cat(
      {trunk_.embed(xc, yc), trunk_.embed(xt.narrow(1, 0, before), known), trunk_.embed(xt.narrow(1, before, 1))}, 1);
  const torch::Tensor seen = trunk_.encoder().forward(tokens, visible_tokens(context, before, 1, before, xc.device()));
  return normal_from(predictor_->forward(seen.narrow(1, context + before, 1)), config());
}

// Teacher-forced in the given order. Where deviations are bounded, training blurs the known y as published.
torch::Tensor TnpA::compute_loss(const Batch& batch) {
  torch::Tensor known = batch.yt;
  if (config().bound_std) known = known + 0.05 * random().normal(known.unsqueeze(0).sizes(), known)[0];
  return -log_density(forward(batch.xc, batch.yc, batch.xt, known), batch.yt).mean();
}

torch::Tensor TnpA::compute_log_likelihood(const Batch& batch) {
  return log_density(forward(batch.xc, batch.yc, batch.xt, batch.yt), batch.yt).mean();
}

TnpA::Paths TnpA::sample_paths(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                               std::int64_t count, RandomSource& source) {
  const std::int64_t tasks = xt.size(0), targets = xt.size(1), dy = config().dim_y;
  std::vector<torch::Tensor> orders;
  for (std::int64_t s = 0; s < count; ++s) {
    orders.push_back(config().permute ? source.permutation(targets) : torch::arange(targets));
  }
  const torch::Tensor order = torch::stack(orders).to(xt.device());            // [S, M], one for all tasks
  const auto reorder = [&](const torch::Tensor& t, const torch::Tensor& by) {  // t [S, B, M, ·]
    return t.gather(2, by.view({count, 1, targets, 1}).expand_as(t));
  };
  const torch::Tensor x = reorder(xt.expand({count, -1, -1, -1}), order).flatten(0, 1);
  const torch::Tensor context_x = xc.repeat({count, 1, 1}), context_y = yc.repeat({count, 1, 1});

  torch::Tensor y = torch::zeros({count * tasks, 0, dy}, yc.options()), mean = y, std = y;
  for (std::int64_t i = 0; i < targets; ++i) {
    const Normal next = forward_next(context_x, context_y, x.narrow(1, 0, i + 1), y);
    y = torch::cat({y, next.mean + next.std * source.normal(next.mean.sizes(), next.mean)}, 1);
    mean = torch::cat({mean, next.mean}, 1);
    std = torch::cat({std, next.std}, 1);
  }
  const torch::Tensor back = order.argsort(/*dim=*/std::int64_t{1});
  const auto restore = [&](const torch::Tensor& t) { return reorder(t.view({count, tasks, targets, dy}), back); };
  return {{restore(mean), restore(std)}, restore(y)};
}

Prediction TnpA::compute_prediction(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  const Normal merged = merge_samples(sample_paths(xc, yc, xt, config().eval_num_samples, random()).normal);
  return {merged.mean, merged.std, {}};
}

// Each as the first of its path, which needs no sampling.
Prediction TnpA::compute_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  const std::int64_t context = xc.size(1), targets = xt.size(1);
  const torch::Tensor tokens = torch::cat({trunk_.embed(xc, yc), trunk_.embed(xt)}, 1);
  const torch::Tensor seen = trunk_.encoder().forward(tokens, visible_tokens(context, 0, targets, 0, xc.device()));
  const Normal normal = normal_from(predictor_->forward(seen.narrow(1, context, targets)), config());
  return {normal.mean, normal.std, {}};
}

torch::Tensor TnpA::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                         RandomSource& source) {
  return sample_paths(xc, yc, xt, count, source).y;
}

}  // namespace cmanp::training
