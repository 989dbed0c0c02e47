// Every building block's gradients, of parameters and inputs, against central differences.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <ATen/CPUGeneratorImpl.h>

#include "training/fixtures.hpp"
#include "training/gradient_check.hpp"
#include "training/initialise.hpp"
#include "training/modules/bnp_attention.hpp"
#include "training/modules/cmab.hpp"
#include "training/modules/context_encoder.hpp"
#include "training/modules/covariance_head.hpp"
#include "training/modules/cross_attention_encoder.hpp"
#include "training/modules/gaussian_decoder.hpp"
#include "training/modules/latent_encoder.hpp"
#include "training/modules/pooling_encoder.hpp"
#include "training/modules/query_decoder.hpp"
#include "training/modules/transformer.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;
using namespace training;  // NOLINT: the modules are all this file is about

class ModuleGradient : public ::testing::Test {
 protected:
  // An input that takes part in the check.
  Tensor input(std::vector<std::int64_t> shape) {
    const Tensor value = torch::randn(shape, generator_, torch::kFloat64).requires_grad_(true);
    inputs_.push_back({"input " + std::to_string(inputs_.size()), value});
    return value;
  }

  // Random weights, norms included, so that no gradient is zero by symmetry.
  template <class Module>
  std::shared_ptr<Module> prepare(std::shared_ptr<Module> module) {
    const torch::NoGradGuard no_grad;
    module->to(torch::kFloat64);
    for (Tensor& parameter : module->parameters()) {
      parameter.copy_(0.5 * torch::randn(parameter.sizes(), generator_, torch::kFloat64));
    }
    return module;
  }

  // Answers are weighted at random to make a scalar of them.
  void check(const torch::nn::Module& module, const std::function<Tensor()>& answer) {
    std::vector<Variable> variables = parameters_of(module);
    variables.insert(variables.end(), inputs_.begin(), inputs_.end());
    Tensor weights;
    {
      const torch::NoGradGuard no_grad;
      weights = torch::randn(answer().sizes(), generator_, torch::kFloat64);
    }
    expect_gradients([&] { return (answer() * weights).sum(); }, variables);
  }

  std::vector<Variable> inputs_;
  static constexpr SubLayerShape shape_{8, 2, 6, Residual::normalised};
  static constexpr SubLayerShape plain_{8, 2, 6, Residual::plain};

 private:
  torch::Generator generator_ = at::detail::createCPUGenerator(11);
};

TEST(GradientCheck, FindsAWrongGradient) {
  static const torch::Tensor x = torch::full({1}, 3.0, torch::kFloat64).requires_grad_(true);
  expect_gradients([] { return (x * x).sum(); }, {{"x", x}});
  EXPECT_NONFATAL_FAILURE(expect_gradients([] { return (x * x.detach()).sum(); }, {{"x", x}}), "x all elements");
}

TEST(GradientCheck, FindsItInAnElementThatIsNotLookedAtByItself) {
  static const torch::Tensor x = torch::full({50}, 3.0, torch::kFloat64).requires_grad_(true);
  static const torch::Tensor wrong = torch::zeros({50}, torch::kFloat64).index_fill_(0, torch::tensor({7}), 1.0);
  EXPECT_NONFATAL_FAILURE(
      expect_gradients([] { return (x * (wrong * x.detach() + (1 - wrong) * x)).sum(); }, {{"x", x}}),
      "x all elements");
}

TEST_F(ModuleGradient, Mlp) {
  const auto module = prepare(std::make_shared<Mlp>(3, 5, 2, 3));
  const Tensor x = input({2, 4, 3});
  check(*module, [&] { return module->forward(x); });
}

TEST_F(ModuleGradient, PAttention) {
  const auto module = prepare(std::make_shared<PAttention>(5, 3, 8, 2));
  const Tensor x = input({2, 4, 5}), context = input({2, 6, 3});
  check(*module, [&] { return module->forward(x, context); });
}

TEST_F(ModuleGradient, GegluFeedForward) {
  const auto module = prepare(std::make_shared<GegluFeedForward>(5, 4));
  const Tensor x = input({2, 4, 5});
  check(*module, [&] { return module->forward(x); });
}

TEST_F(ModuleGradient, PreNormSelfAttention) {
  const auto module = prepare(std::make_shared<PreNormAttention>(5, shape_));
  const Tensor x = input({2, 4, 5});
  check(*module, [&] { return module->forward(x); });
}

TEST_F(ModuleGradient, PreNormCrossAttentionPlainResidual) {
  const auto module = prepare(std::make_shared<PreNormAttention>(5, 3, plain_));
  const Tensor x = input({2, 4, 5}), context = input({2, 6, 3});
  check(*module, [&] { return module->forward(x, context); });
}

TEST_F(ModuleGradient, PreNormFeedForward) {
  for (const SubLayerShape& shape : {shape_, plain_}) {
    inputs_.clear();
    const auto module = prepare(std::make_shared<PreNormFeedForward>(5, shape));
    const Tensor x = input({2, 4, 5});
    check(*module, [&] { return module->forward(x); });
  }
}

TEST_F(ModuleGradient, TransformerEncoder) {
  const auto module = prepare(std::make_shared<TransformerEncoder>(TransformerShape{8, 2, 6}, 2));
  const Tensor x = input({2, 5, 8});
  check(*module, [&] { return module->forward(x, 3); });
}

TEST_F(ModuleGradient, TransformerEncoderMasked) {
  const auto module = prepare(std::make_shared<TransformerEncoder>(TransformerShape{8, 2, 6}, 2));
  const Tensor x = input({2, 5, 8});
  const Tensor visible = torch::arange(5, torch::kInt64) + 1;
  check(*module, [&] { return module->forward(x, visible); });
}

TEST_F(ModuleGradient, BnpAttention) {
  const auto module = prepare(std::make_shared<BnpAttention>(16));
  const Tensor q = input({2, 3, 16}), k = input({2, 4, 16}), v = input({2, 4, 16});
  check(*module, [&] { return module->forward(q, k, v); });
}

TEST_F(ModuleGradient, PoolingEncoder) {
  for (const bool attention : {false, true}) {
    inputs_.clear();
    const auto module = prepare(std::make_shared<PoolingEncoder>(PoolingShape{3, 8, 2, attention, 4, 2}));
    const Tensor x = input({2, 4, 1}), y = input({2, 4, 2});
    check(*module, [&] {
      const Normal normal = module->latent(x, y);
      return torch::cat({normal.mean, normal.std}, -1);
    });
  }
}

TEST_F(ModuleGradient, CrossAttentionEncoder) {
  const auto module = prepare(std::make_shared<CrossAttentionEncoder>(1, 2, 8, 4, 2));
  const Tensor xc = input({2, 4, 1}), yc = input({2, 4, 2}), xt = input({2, 3, 1});
  check(*module, [&] { return module->forward(xc, yc, xt); });
}

TEST_F(ModuleGradient, GaussianDecoder) {
  const auto module = prepare(std::make_shared<GaussianDecoder>(1, 2, 4, 5, 3, 6));
  const Tensor encoded = input({2, 3, 4}), x = input({2, 3, 1}), bootstrap = input({3, 2, 3, 6});
  check(*module, [&] {
    const Normal normal = module->forward(encoded, x, bootstrap);
    return torch::cat({normal.mean, normal.std}, -1);
  });
}

TEST_F(ModuleGradient, CmabAtOnceAndInChunks) {
  const CmabShape shape{shape_, 3, 5, 4};
  const auto module = prepare(std::make_shared<CmabEncoder>(shape, 2));
  const Tensor latents = input({2, 4, 4}), context = input({2, 5, 8});
  check(*module, [&] { return torch::cat(module->forward(latents, context), 1); });
  check(*module, [&] {
    auto state = module->empty_state();
    module->absorb(state, context.narrow(1, 0, 2));
    module->absorb(state, context.narrow(1, 2, 3));
    return torch::cat(module->forward(latents, state), 1);
  });
}

TEST_F(ModuleGradient, LatentEncoder) {
  const auto module = prepare(std::make_shared<LatentEncoder>(8, shape_, 2));
  const Tensor latents = input({2, 3, 8}), context = input({2, 5, 8});
  check(*module, [&] { return torch::cat(module->forward(latents, context), 1); });
}

TEST_F(ModuleGradient, ContextEncoder) {
  const auto module = prepare(std::make_shared<ContextEncoder>(shape_, 2));
  const Tensor context = input({2, 5, 8});
  check(*module, [&] { return torch::cat(module->forward(context), 1); });
}

TEST_F(ModuleGradient, QueryDecoder) {
  const auto module = prepare(std::make_shared<QueryDecoder>(4, shape_, 2));
  const Tensor queries = input({2, 3, 8}), first = input({2, 5, 4}), second = input({2, 5, 4});
  check(*module, [&] { return module->forward(queries, {first, second}); });
}

TEST_F(ModuleGradient, CovarianceHead) {
  ModelConfig config = tiny_config();
  for (const bool lowrank : {false, true}) {
    for (const bool bound : {false, true}) {
      inputs_.clear();
      config.cov_approx = lowrank ? Covariance::lowrank : Covariance::cholesky;
      config.bound_std = bound;
      const auto owner = std::make_shared<torch::nn::Module>();
      const CovarianceHead head(*owner, config);
      prepare(owner);
      const Tensor targets = input({2, 3, 8}), x = torch::zeros({2, 3, 1});
      check(*owner, [&] {
        const MultivariateNormal joint = head(targets, x);
        return torch::cat({joint.mean.unsqueeze(1), joint.scale_tril}, 1);
      });
    }
  }
}

}  // namespace
}  // namespace cmanp::testing
