// CMANP-AND: joint in blocks of AND_block_size targets, and by the chain rule between them: each block, once known,
// joins the context at constant cost. Trained with all targets as one block.
#pragma once

#include <functional>

#include "training/models/context_reader.hpp"
#include "training/models/joint_model.hpp"

namespace cmanp::training {

class CmanpAnd : public JointModel {
 public:
  explicit CmanpAnd(const ModelConfig& config);

 private:
  // Goes through the targets block by block; `answer` gets a block's first target, its x [B, m, dx] and its
  // distribution, and returns the y [B, m, dy] that the next block may know.
  using Answer =
      std::function<torch::Tensor(std::int64_t first, const torch::Tensor& x, const MultivariateNormal& joint)>;
  void chain(ContextReader::State& state, const torch::Tensor& xt, const Answer& answer);

  torch::Tensor compute_log_likelihood(const Batch& batch) override;
  torch::Tensor draw(const torch::Tensor& xc, const torch::Tensor& yc, const torch::Tensor& xt, std::int64_t count,
                     RandomSource& source) override;

  ContextReader& reader() { return dynamic_cast<ContextReader&>(trunk()); }
  void observe(ContextReader::State& state, const torch::Tensor& x, const torch::Tensor& y) {
    reader().observe(state, x, y, config().CMAB_block_size);
  }
};

}  // namespace cmanp::training
