// The fused sub-layers against the plain forms: values and gradients, the plain ones in double.
#include <gtest/gtest.h>

#include <ATen/CPUGeneratorImpl.h>

#include "training/fused/linears.hpp"
#include "training/fused/softmax_attention.hpp"
#include "training/fused/switch.hpp"
#include "training/modules/bnp_attention.hpp"
#include "training/modules/cmab.hpp"
#include "training/modules/linears.hpp"
#include "training/modules/pre_norm.hpp"
#include "training/modules/relative_attention.hpp"
#include "training/modules/transformer.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;
using namespace training;  // NOLINT: the modules are all this file is about

struct Sizes {
  std::int64_t tasks, queries, keys, width, context_width, inner, heads, hidden;
};

// The paper's, and sizes around tiles: head sizes that are no multiple of a panel, one key, one task. The last has more
// rows than projections are kept of.
constexpr Sizes kSizes[] = {{4, 128, 128, 64, 64, 64, 4, 128}, {3, 7, 5, 32, 48, 32, 4, 24},
                            {2, 100, 1, 16, 16, 16, 2, 8},     {1, 50, 97, 16, 32, 48, 2, 20},
                            {5, 1, 200, 32, 16, 20, 5, 7},     {2, 260, 300, 16, 16, 20, 2, 7}};

class FusedTest : public ::testing::Test {
 protected:
  Tensor random(std::vector<std::int64_t> shape) { return torch::randn(shape, generator_, torch::kFloat); }

  // Runs `module` fused in float and plain in double on the same inputs, and compares values and all gradients: each
  // tensor's to a share of its largest entry, and to what rounding leaves of sums that cancel.
  template <class Module, class Run>
  void compare(const std::shared_ptr<Module>& module, const std::vector<Tensor>& inputs, const Run& run,
               double rounding = 1e-6) {
    for (Tensor& parameter : module->parameters()) {
      const torch::NoGradGuard no_grad;
      const double scale = parameter.dim() == 2 ? 1.0 / std::sqrt(static_cast<double>(parameter.size(1))) : 1.0;
      parameter.copy_(scale * random(parameter.sizes().vec()));
    }
    std::vector<Tensor> fused_inputs, plain_inputs;
    for (const Tensor& input : inputs) {
      fused_inputs.push_back(input.clone().requires_grad_(true));
      plain_inputs.push_back(input.to(torch::kDouble).requires_grad_(true));
    }
    const Tensor fused_answer = run(fused_inputs);
    const Tensor weights = random(fused_answer.sizes().vec());
    (fused_answer * weights).sum().backward();
    std::vector<Tensor> fused_gradients = gradients(*module, fused_inputs);

    module->to(torch::kDouble);
    const Tensor plain_answer = run(plain_inputs);
    (plain_answer * weights.to(torch::kDouble)).sum().backward();
    const std::vector<Tensor> plain_gradients = gradients(*module, plain_inputs);

    expect_near(fused_answer, plain_answer, rounding, "answer");
    ASSERT_EQ(fused_gradients.size(), plain_gradients.size());
    for (std::size_t i = 0; i < plain_gradients.size(); ++i) {
      expect_near(fused_gradients[i], plain_gradients[i], rounding, "gradient " + std::to_string(i));
    }
  }

 private:
  // Of parameters and inputs; taken off, so that the next backward starts from none.
  static std::vector<Tensor> gradients(torch::nn::Module& module, const std::vector<Tensor>& inputs) {
    std::vector<Tensor> result;
    for (Tensor& parameter : module.parameters()) {
      result.push_back(parameter.grad().clone());
      parameter.mutable_grad() = Tensor();
    }
    for (const Tensor& input : inputs) result.push_back(input.grad());
    return result;
  }

  static void expect_near(const Tensor& fused_value, const Tensor& plain_value, double rounding,
                          const std::string& what) {
    const double scale = plain_value.abs().max().item<double>();
    EXPECT_LT((fused_value.to(torch::kDouble) - plain_value).abs().max().item<double>(), 1e-5 * scale + rounding)
        << what;
  }

  at::Generator generator_ = at::detail::createCPUGenerator(7);
};

class FusedSubLayer : public FusedTest, public ::testing::WithParamInterface<Residual> {
 protected:
  template <class Module, class Run>
  void compare(const std::shared_ptr<Module>& module, const std::vector<Tensor>& inputs, const Run& run,
               double rounding = 1e-6) {
    ASSERT_TRUE(fused::runs({inputs[0]}));
    FusedTest::compare(module, inputs, run, rounding);
  }

  SubLayerShape shape(const Sizes& sizes) const { return {sizes.inner, sizes.heads, sizes.hidden, GetParam()}; }
};

TEST_P(FusedSubLayer, FeedForward) {
  for (const Sizes& sizes : kSizes) {
    const auto module = std::make_shared<PreNormFeedForward>(sizes.width, shape(sizes));
    compare(module, {random({sizes.tasks, sizes.queries, sizes.width})},
            [&](const std::vector<Tensor>& in) { return module->forward(in[0]); });
  }
}

TEST_P(FusedSubLayer, SelfAttention) {
  for (const Sizes& sizes : kSizes) {
    const auto module = std::make_shared<PreNormAttention>(sizes.width, shape(sizes));
    compare(module, {random({sizes.tasks, sizes.queries, sizes.width})},
            [&](const std::vector<Tensor>& in) { return module->forward(in[0]); });
  }
}

TEST_P(FusedSubLayer, CrossAttention) {
  for (const Sizes& sizes : kSizes) {
    const auto module = std::make_shared<PreNormAttention>(sizes.width, sizes.context_width, shape(sizes));
    for (const std::int64_t query_tasks : {sizes.tasks, std::int64_t{1}}) {  // the latter: the same for every task
      module->to(torch::kFloat);
      compare(
          module,
          {random({query_tasks, sizes.queries, sizes.width}), random({sizes.tasks, sizes.keys, sizes.context_width})},
          [&](const std::vector<Tensor>& in) { return module->forward(in[0], in[1]); });
    }
  }
}

// Widths on whole panels and beside them, one layer and several, with biases and without; more rows than a tile, and
// one.
TEST_F(FusedTest, Linears) {
  const std::vector<std::vector<std::int64_t>> widths{
      {3, 64, 64, 64, 64}, {16, 32, 2}, {257, 128, 128, 6}, {64, 64}, {5, 7, 1}};
  for (const auto& layers : widths) {
    for (const std::int64_t rows : {1, 130, 300}) {
      for (const bool bias : {true, false}) {
        const auto module = std::make_shared<torch::nn::Module>();
        std::vector<torch::nn::Linear> all;
        for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
          const auto options = torch::nn::LinearOptions(layers[i], layers[i + 1]).bias(bias);
          all.push_back(module->register_module(std::to_string(i), torch::nn::Linear(options)));
        }
        ASSERT_TRUE(fused::linears_run(random({2, rows, layers.front()})));
        compare(module, {random({2, rows, layers.front()})},
                [&](const std::vector<Tensor>& in) { return linears(in[0], all); });
      }
    }
  }
}

// Weights that are a part of others, rows that do not lie one behind the other, an input that asks for no gradient.
TEST_F(FusedTest, LinearsOfParts) {
  const Tensor weights = random({48, 20}).requires_grad_(true), x = random({3, 20, 7}).transpose(1, 2);
  const Tensor part = weights.narrow(0, 16, 32);
  const Tensor fused_answer = training::linear(x, part, Tensor());
  const auto fused_gradient = torch::autograd::grad({fused_answer.square().sum()}, {weights})[0];
  const fused::Off off;
  const Tensor plain_answer = training::linear(x, part, Tensor());
  const auto plain_gradient = torch::autograd::grad({plain_answer.square().sum()}, {weights})[0];
  EXPECT_TRUE(torch::allclose(fused_answer, plain_answer, 1e-5, 1e-5));
  EXPECT_TRUE(torch::allclose(fused_gradient, plain_gradient, 1e-5, 1e-3));
  EXPECT_FALSE(fused_answer.is_same(plain_answer));
}

// Places of one and of several x, of each task or shared, with a null key and without, and head sizes around panels.
// The gradient of a length adds up squared distances (to 100 here) times gradients of scores, over up to 65,000 pairs:
// what rounding leaves of those, 1e-7 each, comes to some 1e-4.
TEST_P(FusedSubLayer, RelativeAttention) {
  for (const Sizes& sizes : {kSizes[0], Sizes{3, 7, 5, 48, 48, 48, 4, 24}, Sizes{2, 100, 1, 16, 16, 16, 2, 8},
                             Sizes{1, 13, 97, 32, 32, 32, 8, 20}}) {
    for (const std::int64_t dim_x : {1, 2}) {
      const RelativeShape relative{{sizes.width, sizes.heads, sizes.hidden, GetParam()}, dim_x, 0.1, 40};
      const Tensor grid = 2 * random({1, sizes.queries, dim_x}), places = 2 * random({sizes.tasks, sizes.keys, dim_x});
      const Tensor x = random({sizes.tasks, sizes.queries, sizes.width});
      const Tensor context = random({sizes.tasks, sizes.keys, sizes.width});
      const auto like = [](const Tensor& p, const Tensor& t) { return p.to(t.scalar_type()); };
      const auto own = std::make_shared<training::RelativeAttention>(relative, Attends::to_itself);
      compare(
          own, {x}, [&](const std::vector<Tensor>& in) { return own->forward(in[0], like(grid, in[0])); }, 5e-4);
      for (const Attends attends : {Attends::to_others, Attends::to_context}) {
        for (const Tensor& queries : {x, x.narrow(0, 0, 1)}) {  // the latter: the same for every task
          const auto cross = std::make_shared<training::RelativeAttention>(relative, attends);
          compare(
              cross, {queries, context},
              [&](const std::vector<Tensor>& in) {
                return cross->forward(in[0], like(grid, in[0]), in[1], like(places, in[0]));
              },
              5e-4);
        }
      }
    }
  }
}

TEST_P(FusedSubLayer, WholeBlock) {
  const CmabShape block{{32, 4, 24, GetParam()}, 10, 16, 48};
  const auto module = std::make_shared<Cmab>(block);
  compare(
      module, {random({1, 6, 48}), random({3, 9, 32})},
      [&](const std::vector<Tensor>& in) { return module->forward(in[0], in[1]); }, 1e-5);  // eight sub-layers deep
}

INSTANTIATE_TEST_SUITE_P(Residuals, FusedSubLayer, ::testing::Values(Residual::normalised, Residual::plain),
                         [](const auto& instance) {
                           return std::string(instance.param == Residual::normalised ? "normalised" : "plain");
                         });

// Softmax attention by itself, within the layers that use it. Leading axes are free.
TEST_F(FusedTest, SoftmaxAttention) {
  const std::vector<std::vector<std::int64_t>> leading = {{3}, {1}, {2, 3}};
  for (const auto& axes : leading) {
    for (const auto& [queries, keys] : {std::pair{50, 97}, {8, 1}, {13, 16}}) {
      const auto rows = [&](std::int64_t count) {
        std::vector<std::int64_t> sizes = axes;
        sizes.insert(sizes.end(), {count, 128});
        return random(sizes);
      };
      const auto module = std::make_shared<BnpAttention>(128);
      compare(
          module, {rows(queries), rows(keys), rows(keys)},
          [&](const std::vector<Tensor>& in) { return module->forward(in[0], in[1], in[2]); }, 1e-5);
    }
  }
}

TEST_F(FusedTest, TransformerLayer) {
  for (const std::int64_t keys : {40, 29, 1}) {
    const auto module = std::make_shared<TransformerLayer>(TransformerShape{64, 4, 40});
    compare(
        module, {random({3, 40, 64})}, [&](const std::vector<Tensor>& in) { return module->forward(in[0], keys); },
        1e-5);
  }
}

// Tokens that see only the first ones, each a number of its own: TNP-A's. Less than a tile of queries, several, and
// more than a block of backward.
TEST_F(FusedTest, TransformerLayerOfWhatIsVisible) {
  for (const std::int64_t tokens : {9, 40, 131}) {
    const auto module = std::make_shared<TransformerLayer>(TransformerShape{64, 4, 40});
    const Tensor visible = torch::cat(
        {torch::full({tokens / 3}, tokens / 3, torch::kInt64), torch::arange(tokens - tokens / 3, torch::kInt64) + 1});
    compare(
        module, {random({3, tokens, 64})},
        [&](const std::vector<Tensor>& in) { return module->forward(in[0], tokens, visible); }, 1e-5);
  }
}

TEST(FusedSwitch, SaysWhereSoftmaxAttentionRuns) {
  const Tensor q = torch::zeros({2, 4, 9, 16}), k = torch::zeros({2, 4, 5, 16});
  EXPECT_TRUE(fused::softmax_attention_runs(q, k, k));
  EXPECT_FALSE(fused::softmax_attention_runs(q.to(torch::kDouble), k, k));
  EXPECT_FALSE(fused::softmax_attention_runs(q, k.narrow(0, 0, 1), k.narrow(0, 0, 1)));  // one context for two tasks
  EXPECT_FALSE(fused::softmax_attention_runs(q, k.narrow(2, 0, 0), k.narrow(2, 0, 0)));  // no keys
  EXPECT_FALSE(fused::softmax_attention_runs(torch::zeros({2, 4, 9, 12}), torch::zeros({2, 4, 5, 12}),
                                             torch::zeros({2, 4, 5, 12})));
  const fused::Off off;
  EXPECT_FALSE(fused::softmax_attention_runs(q, k, k));
}

TEST(FusedSwitch, SaysWhereItRuns) {
  const Tensor fine = torch::zeros({1, 2, 32});
  EXPECT_TRUE(fused::runs({fine}));
  EXPECT_FALSE(fused::runs({fine.to(torch::kDouble)}));
  EXPECT_FALSE(fused::runs({torch::zeros({1, 2, 33})}));
  EXPECT_FALSE(fused::runs({fine, torch::zeros({1, 0, 32})}));
  const fused::Off off;
  EXPECT_FALSE(fused::runs({fine}));
}

}  // namespace
}  // namespace cmanp::testing
