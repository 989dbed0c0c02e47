#include "training/tasks/blend_windows.hpp"

#include <vector>

#include "data/windows.hpp"

namespace cmanp::training {
namespace {

bool lie_alike(const Batch& batch, std::int64_t one, std::int64_t other) {
  return torch::equal(batch.xc[one], batch.xc[other]) && torch::equal(batch.xt[one], batch.xt[other]);
}

// In units of its own context.
void rescale(torch::Tensor context, torch::Tensor targets, bool robust) {
  const float* values = context.data_ptr<float>();
  const base::Scale units = data::context_units(std::vector<double>(values, values + context.numel()), robust);
  for (torch::Tensor* y : {&context, &targets}) y->sub_(units.shift).div_(units.scale);
}

}  // namespace

void blend_windows(Batch& batch, double share, bool robust, Random& random) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor yc = batch.yc.clone(), yt = batch.yt.clone();
  const std::int64_t tasks = yc.size(0);
  for (std::int64_t i = 0; i < tasks; ++i) {
    const bool chosen = random.uniform() < share;
    const double weight = random.uniform(-1, 1);
    const std::int64_t other = (i + 1) % tasks;
    if (!chosen || other == i || !lie_alike(batch, i, other)) continue;
    batch.yc[i].add_(yc[other], weight);
    batch.yt[i].add_(yt[other], weight);
    rescale(batch.yc[i], batch.yt[i], robust);
  }
}

}  // namespace cmanp::training
