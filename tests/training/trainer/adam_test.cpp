// The optimiser: torch's own arithmetic on one flat tensor, saved and averaged; flat parameters.
#include "training/trainer/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "training/fused/switch.hpp"
#include "training/trainer/flat_parameters.hpp"
#include "training/trainer/optimiser.hpp"

namespace cmanp::training {
namespace {

torch::nn::Sequential make_network() {
  torch::manual_seed(3);
  return torch::nn::Sequential(torch::nn::Linear(3, 5), torch::nn::Tanh(), torch::nn::Linear(5, 2));
}

TEST(Adam, IsTorchsOwn) {
  for (const double weight_decay : {0.0, 0.1}) {
    torch::nn::Sequential ours = make_network(), theirs = make_network();
    FlatParameters flat(*ours);
    Adam adam({.weight_decay = weight_decay}, flat.values());
    torch::optim::Adam optimiser(theirs->parameters(), torch::optim::AdamOptions(1e-2).weight_decay(weight_decay));
    for (int step = 1; step <= 20; ++step) {
      const torch::Tensor x = torch::randn({7, 3});
      flat.gradients().zero_();
      ours->forward(x).square().sum().backward();
      adam.step(flat.values(), flat.gradients(), 1e-2, step);
      optimiser.zero_grad();
      theirs->forward(x).square().sum().backward();
      optimiser.step();
    }
    for (std::size_t i = 0; i < ours->parameters().size(); ++i) {
      EXPECT_TRUE(torch::allclose(ours->parameters()[i], theirs->parameters()[i], 1e-5, 1e-6)) << i;
    }
  }
}

// As many as fill no vector, in one step and after some; a share of the step for some of them.
TEST(Adam, ThePlainFormsStep) {
  const torch::Tensor start = torch::randn({1001});
  torch::Tensor share = torch::ones({1001});
  share.slice(0, 0, 301).zero_();
  for (const bool shared : {false, true}) {
    torch::Tensor fused_values = start.clone(), plain_values = start.clone();
    Adam by_kernel({}, fused_values), plain({}, plain_values);
    if (shared) by_kernel.restrict_to(share);
    if (shared) plain.restrict_to(share);
    for (int step = 1; step <= 9; ++step) {
      const torch::Tensor gradients = torch::randn({1001}) * std::pow(10.0, step - 6);
      by_kernel.step(fused_values, gradients, 1e-2, step);
      const fused::Off off;
      plain.step(plain_values, gradients, 1e-2, step);
    }
    EXPECT_TRUE(torch::allclose(fused_values, plain_values, 1e-5, 1e-6));
    EXPECT_TRUE(torch::allclose(by_kernel.first_moment, plain.first_moment, 1e-5, 1e-9));
    EXPECT_TRUE(torch::allclose(by_kernel.second_moment, plain.second_moment, 1e-5, 1e-12));
    EXPECT_EQ(torch::equal(fused_values.slice(0, 0, 301), start.slice(0, 0, 301)), shared);
  }
}

TEST(Adam, DecoupledDecayShrinksWithoutGradient) {
  torch::Tensor values = torch::ones({4}), gradients = torch::zeros({4});
  Adam adam({.weight_decay = 0.5, .decoupled = true}, values);
  adam.step(values, gradients, 0.1, 1);
  EXPECT_TRUE(torch::allclose(values, torch::full({4}, 0.95)));
}

TEST(FlatParameters, AreTheModelsOwn) {
  torch::nn::Sequential network = make_network();
  const torch::Tensor before = network->forward(torch::ones({1, 3}));
  FlatParameters flat(*network);
  EXPECT_TRUE(torch::equal(network->forward(torch::ones({1, 3})), before));
  EXPECT_EQ(flat.values().numel(), 3 * 5 + 5 + 5 * 2 + 2);
  network->forward(torch::ones({1, 3})).sum().backward();
  EXPECT_TRUE(torch::equal(flat.named(flat.gradients()).at("2.bias"), torch::ones({2})));
  flat.values().zero_();
  EXPECT_EQ(network->forward(torch::ones({1, 3})).abs().sum().item<float>(), 0);
}

void move(Optimiser& optimiser, torch::nn::Sequential& network, std::int64_t step) {
  const torch::Tensor gradients = optimiser.parameters().gradients().zero_();
  network->forward(torch::full({2, 3}, 0.1 * static_cast<double>(step + 1))).square().sum().backward();
  optimiser.step(gradients.norm().item<double>(), 1e-2, step);
}

TEST(Optimiser, GoesOnWhereItWasSaved) {
  torch::nn::Sequential first = make_network(), second = make_network();
  const OptimiserSettings settings{.adam = {.weight_decay = 0.1}, .clip = 0.5, .ema = 0.9};
  Optimiser before(*first, settings), after(*second, settings);
  for (std::int64_t step = 0; step < 3; ++step) move(before, first, step);
  Checkpoint checkpoint;
  before.save_to(checkpoint);
  after.restore(checkpoint, "checkpoint");
  move(before, first, 3);
  move(after, second, 3);
  ASSERT_EQ(before.tensors().size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(torch::equal(before.tensors()[i], after.tensors()[i])) << i;
}

TEST(Optimiser, PutsAveragedWeightsInForAWhile) {
  torch::nn::Sequential network = make_network();
  Optimiser optimiser(*network, {.muon = false, .adam = {}, .clip = 0, .ema = 0.5});
  for (std::int64_t step = 0; step < 3; ++step) move(optimiser, network, step);
  const torch::Tensor own = network->parameters()[0].detach().clone();
  Checkpoint checkpoint;
  optimiser.save_to(checkpoint);
  {
    const AveragedWeights averaged = optimiser.use_averaged();
    EXPECT_FALSE(torch::equal(network->parameters()[0], own));
    EXPECT_TRUE(torch::equal(network->parameters()[0], checkpoint.averaged.at("0.weight")));
  }
  EXPECT_TRUE(torch::equal(network->parameters()[0], own));
  optimiser.restart_average();
  const AveragedWeights averaged = optimiser.use_averaged();
  EXPECT_TRUE(torch::equal(network->parameters()[0], own));
}

}  // namespace
}  // namespace cmanp::training
