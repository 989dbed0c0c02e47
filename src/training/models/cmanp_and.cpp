#include "training/models/cmanp_and.hpp"

#include <algorithm>

#include "training/models/cmanp_trunk.hpp"
#include "training/models/relative_trunk.hpp"

namespace cmanp::training {

CmanpAnd::CmanpAnd(const ModelConfig& model_config)
    : JointModel("cmanpand", model_config, make_placed_trunk<CmanpTrunk, RelativeTrunk>, /*unused_predictor=*/true) {}

void CmanpAnd::chain(ContextReader::State& state, const torch::Tensor& xt, const Answer& answer) {
  const std::int64_t targets = xt.size(1);
  const std::int64_t block = config().AND_block_size > 0 ? config().AND_block_size : std::max<std::int64_t>(targets, 1);
  for (std::int64_t first = 0; first < targets; first += block) {
    const torch::Tensor x = xt.narrow(1, first, std::min(block, targets - first));
    const MultivariateNormal joint = head()(reader().encode(state, x), x);
    const torch::Tensor y = answer(first, x, joint);
    if (first + block < targets) observe(state, x, y);
  }
}

torch::Tensor CmanpAnd::compute_log_likelihood(const Batch& batch) {
  ContextReader::State state = reader().empty_state();
  observe(state, batch.xc, batch.yc);
  torch::Tensor sum = torch::zeros({batch.xt.size(0)}, batch.yt.options());
  chain(state, batch.xt, [&](std::int64_t first, const torch::Tensor& x, const MultivariateNormal& joint) {
    const torch::Tensor y = batch.yt.narrow(1, first, x.size(1));
    sum = sum + log_density(joint, y.flatten(1));
    return y;
  });
  return sum.mean() / static_cast<double>(batch.xt.size(1));
}

torch::Tensor CmanpAnd::draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt,
                             std::int64_t count, RandomSource& source) {
  // Every draw goes on from the same context by its own y: a task each.
  ContextReader::State state = reader().empty_state();
  observe(state, xc, yc);
  const auto repeat = [&](const torch::Tensor& t) { return t.defined() ? t.repeat({count, 1, 1, 1}) : t; };
  for (AttentionState& s : state) s = {repeat(s.max), repeat(s.sum), repeat(s.weighted)};
  std::vector<torch::Tensor> blocks;
  chain(state, xt.repeat({count, 1, 1}), [&](std::int64_t, const torch::Tensor&, const MultivariateNormal& joint) {
    return blocks.emplace_back(draw_from(joint, config().dim_y, 1, source).squeeze(0));
  });
  if (blocks.empty()) return torch::zeros({count, xt.size(0), 0, config().dim_y}, xt.options());
  return torch::cat(blocks, 1).reshape({count, xt.size(0), xt.size(1), config().dim_y});
}

}  // namespace cmanp::training
