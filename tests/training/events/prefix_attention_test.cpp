#include "training/events/prefix_attention.hpp"

#include <gtest/gtest.h>

#include "training/gradient_check.hpp"

namespace cmanp::training::events {
namespace {

struct Inputs {
  torch::Tensor scores, values, ageing, rates;

  explicit Inputs(double spread = 1) {
    torch::manual_seed(1);
    const auto options = torch::dtype(torch::kFloat64).requires_grad(true);
    scores = (torch::randn({2, 3, 4, 9}, torch::kFloat64) * spread).set_requires_grad(true);
    values = torch::randn({2, 3, 9, 5}, options);
    rates = torch::rand({2, 3, 4}, torch::kFloat64).set_requires_grad(true);
    ageing = torch::rand({2, 9, 2}, torch::kFloat64) * 2;
  }

  // Scores of the first `count` tokens as the last of them sees the others: aged by all that came after each.
  torch::Tensor aged(std::int64_t count) const {
    const torch::Tensor after = ageing.narrow(1, 0, count).sum(1, true) - ageing.narrow(1, 0, count).cumsum(1);
    const torch::Tensor by = torch::einsum("bnk,khl->bhln", {after, rates});
    return scores.narrow(3, 0, count) - by;
  }
};

// What every prefix would give by itself.
void expect_each_prefix(const Inputs& in, bool ages) {
  const PrefixAttention all = prefix_attention(in.scores, in.values, in.ageing, ages ? in.rates : torch::Tensor());
  for (std::int64_t n = 1; n <= in.scores.size(3); ++n) {
    const torch::Tensor scores = ages ? in.aged(n) : in.scores.narrow(3, 0, n);
    const torch::Tensor expected = torch::matmul(torch::softmax(scores, -1), in.values.narrow(2, 0, n));
    EXPECT_TRUE(torch::allclose(all.attended.select(1, n - 1), expected, 1e-10, 1e-12)) << n;
    EXPECT_TRUE(torch::allclose(all.normaliser.select(1, n - 1), torch::logsumexp(scores, -1), 1e-10, 1e-12)) << n;
  }
}

TEST(PrefixAttention, EqualsASoftmaxOverEachPrefix) {
  expect_each_prefix(Inputs(), false);
  expect_each_prefix(Inputs(), true);
  expect_each_prefix(Inputs(300), true);  // scores far apart
}

TEST(PrefixAttention, TheOrderOfTokensThatDoNotAgeIsNothing) {
  const Inputs in;
  const torch::Tensor order = torch::tensor({4, 2, 7, 0, 8, 1, 3, 6, 5});
  const PrefixAttention straight = prefix_attention(in.scores, in.values, in.ageing, {});
  const PrefixAttention other =
      prefix_attention(in.scores.index_select(3, order), in.values.index_select(2, order), in.ageing, {});
  EXPECT_TRUE(torch::allclose(straight.attended.select(1, 8), other.attended.select(1, 8), 1e-10, 1e-12));
}

TEST(PrefixAttention, Gradients) {
  const Inputs in;
  const torch::Tensor by_value = torch::randn({2, 9, 3, 4, 5}, torch::kFloat64);
  const torch::Tensor by_normaliser = torch::randn({2, 9, 3, 4}, torch::kFloat64);
  const auto scalar = [&] {
    const PrefixAttention all = prefix_attention(in.scores, in.values, in.ageing, in.rates);
    return (all.attended.tanh() * by_value).sum() + (all.normaliser.tanh() * by_normaliser).sum();
  };
  testing::expect_gradients(scalar, {{"scores", in.scores}, {"values", in.values}, {"rates", in.rates}});
}

}  // namespace
}  // namespace cmanp::training::events
