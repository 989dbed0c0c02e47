#include "training/neural_process.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmanp/error.hpp>

namespace cmanp::training {
namespace {

// Tensors of points must be [B, n, width]; -1 stands for any extent.
void check_points(const char* what, const torch::Tensor& points, std::int64_t tasks, std::int64_t count,
                  std::int64_t width) {
  const auto fits = [&](std::int64_t axis, std::int64_t wanted) { return wanted < 0 || points.size(axis) == wanted; };
  if (points.defined() && points.dim() == 3 && fits(0, tasks) && fits(1, count) && points.size(2) == width) return;
  const auto shown = [](std::int64_t n) { return n < 0 ? std::string("any") : std::to_string(n); };
  throw Error(fmt::format("{} has shape [{}], expected [{}, {}, {}]", what,
                          points.defined() ? fmt::format("{}", fmt::join(points.sizes(), ", ")) : "undefined",
                          shown(tasks), shown(count), width));
}

}  // namespace

NeuralProcess::NeuralProcess(std::string name, const ModelConfig& config) : name_(std::move(name)), config_(config) {
  use(at::detail::createCPUGenerator(0));
}

void NeuralProcess::check(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) const {
  check_points("the context's x", xc, -1, -1, config_.dim_x);
  check_points("the context's y", yc, xc.size(0), xc.size(1), config_.dim_y);
  check_points("the targets' x", xt, xc.size(0), -1, config_.dim_x);
  if (xc.size(1) == 0 && !accepts_empty_context()) {
    throw Error(fmt::format("{} needs at least one context point", name_));
  }
}

void NeuralProcess::check(const Batch& batch) const {
  check(batch.xc, batch.yc, batch.xt);
  check_points("the targets' y", batch.yt, batch.xt.size(0), batch.xt.size(1), config_.dim_y);
  if (batch.xt.size(1) == 0) throw Error("a batch needs at least one target point");
}

torch::Tensor NeuralProcess::loss(const Batch& batch) {
  check(batch);
  return compute_loss(batch);
}

torch::Tensor NeuralProcess::log_likelihood(const Batch& batch) {
  check(batch);
  return compute_log_likelihood(batch);
}

Prediction NeuralProcess::predict(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  check(xc, yc, xt);
  return compute_prediction(xc, yc, xt);
}

Prediction NeuralProcess::predict_each(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt) {
  check(xc, yc, xt);
  return compute_each(xc, yc, xt);
}

Judged NeuralProcess::judge(const Batch& batch) {
  check(batch);
  return compute_judged(batch);
}

torch::Tensor NeuralProcess::samples(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                                     std::int64_t count, torch::Generator generator) {
  check(xc, yc, xt);
  if (count < 1) throw Error(fmt::format("the number of samples must be at least 1, not {}", count));
  GeneratorSource source(std::move(generator));
  return draw(xc, yc, xt, count, source);
}

std::int64_t NeuralProcess::parameter_count() const {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

}  // namespace cmanp::training
