// Training on a streamed context: the same loss and the same gradients as with the whole context at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "training/fixtures.hpp"
#include "training/fused/switch.hpp"
#include "training/gradient_check.hpp"
#include "training/modules/cmab.hpp"
#include "training/modules/mlp.hpp"

namespace cmanp::testing {
namespace {

using torch::Tensor;
using training::Batch;
using training::ModelConfig;

// Of widths that the kernels take, and of heads that do not fill a panel.
ModelConfig config_of(std::int64_t width) {
  ModelConfig config = tiny_config();
  config.d_model = width;
  config.num_latents_per_layer = 5;
  config.fourier_features = 1;
  config.latent_dim = 2 * width;
  config.layer_latent_dim = 3 * width;
  return config;
}

struct Result {
  double loss;
  std::vector<Variable> gradients;  // of all parameters and of the points, in double
};

Result run(training::NeuralProcess& model, const Batch& batch, std::int64_t chunk) {
  model.settings().context_chunk = chunk;
  std::vector<Variable> leaves = parameters_of(model);
  Batch points = batch;
  leaves.push_back({"x", points.xc = batch.xc.clone().requires_grad_(true)});
  leaves.push_back({"y", points.yc = batch.yc.clone().requires_grad_(true)});
  for (const Variable& leaf : leaves) leaf.value.mutable_grad() = Tensor();
  const Tensor loss = model.loss(points);
  loss.backward();
  Result result{loss.item<double>(), {}};
  for (const Variable& leaf : leaves) {
    const Tensor gradient = leaf.value.grad();
    if (gradient.defined()) result.gradients.push_back({leaf.name, gradient.to(torch::kFloat64)});
  }
  return result;
}

void expect_equal(const Result& streamed, const Result& plain, double tolerance, const std::string& where) {
  EXPECT_NEAR(streamed.loss, plain.loss, tolerance * std::max(1.0, std::abs(plain.loss))) << where;
  ASSERT_EQ(streamed.gradients.size(), plain.gradients.size()) << where;
  double largest = 0;
  for (const Variable& gradient : plain.gradients) {
    largest = std::max(largest, gradient.value.abs().max().item<double>());
  }
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    const Tensor& want = plain.gradients[i].value;
    // A share of the tensor's own largest entry, and what rounding leaves where a tensor's sums cancel.
    const double allowed = tolerance * (want.abs().max().item<double>() + 1e-2 * largest);
    EXPECT_LT((streamed.gradients[i].value - want).abs().max().item<double>(), allowed)
        << plain.gradients[i].name << ", " << where;
  }
}

constexpr std::int64_t kPoints = 13;
constexpr std::int64_t kChunks[] = {1, 2, 5, 12, 13, 100};  // dividing the points and not, and more than all

class ContextStreamTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ContextStreamTest, IsTheWholeContextAtOnce) {
  const ModelConfig config = config_of(8);
  const auto model = training::make_model(GetParam(), config, 3);
  model->to(torch::kFloat64);
  const Batch batch = random_batch(config, 3, kPoints, 4, 5);
  const Result plain = run(*model, batch, 0);
  for (const std::int64_t chunk : kChunks) {
    expect_equal(run(*model, batch, chunk), plain, 1e-10, "chunks of " + std::to_string(chunk));
  }
}

// Float, by the kernels and by plain libtorch, against the plain form in double.
TEST_P(ContextStreamTest, IsItInFloatToo) {
  for (const std::int64_t width : {16, 32}) {
    const ModelConfig config = config_of(width);
    const auto model = training::make_model(GetParam(), config, 3);
    const Batch batch = random_batch(config, 3, 70, 4, 5, torch::kFloat);
    ASSERT_TRUE(training::fused::runs({torch::zeros({1, 1, width})}));
    std::vector<Result> streamed;
    for (const std::int64_t chunk : {1, 16, 33}) {
      streamed.push_back(run(*model, batch, chunk));
      const training::fused::Off off;
      streamed.push_back(run(*model, batch, chunk));
    }
    model->to(torch::kFloat64);
    const auto wide = [](const Tensor& t) { return t.to(torch::kFloat64); };
    const Result plain = run(*model, {wide(batch.xc), wide(batch.yc), wide(batch.xt), wide(batch.yt)}, 0);
    for (std::size_t i = 0; i < streamed.size(); ++i) {
      expect_equal(streamed[i], plain, 3e-5, "width " + std::to_string(width) + ", case " + std::to_string(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ContextStreamTest, ::testing::Values("cmanp", "cmanpand"),
                         [](const auto& test) { return test.param; });

// What the node gives gradients to, against central differences.
TEST(ContextStream, PassesTheNumericalCheck) {
  const ModelConfig config = config_of(8);
  const auto model = training::make_model("cmanp", config, 3);
  model->to(torch::kFloat64);
  model->settings().context_chunk = 2;
  std::vector<Variable> variables;
  for (const Variable& variable : parameters_of(*model)) {
    const bool first_attention = variable.name.find("layer_cross_attn.") != std::string::npos;
    if (first_attention || variable.name.starts_with("embedder.")) variables.push_back(variable);
  }
  ASSERT_EQ(variables.size(), 4u + 8u * 2u);
  const Batch batch = random_batch(config, 2, 5, 3, 5);
  expect_gradients([&] { return model->loss(batch); }, variables, 1e-5);
}

// The node itself, where a model would not need it: the context in one chunk that has room for more.
TEST(ContextStream, MayHaveRoomToSpare) {
  const auto encoder =
      std::make_shared<training::CmabEncoder>(training::CmabShape{{8, 2, 6, Residual::normalised}, 3, 8, 8}, 2);
  const auto embedder = std::make_shared<training::Mlp>(2, 8, 8, 2);
  encoder->to(torch::kFloat64);
  embedder->to(torch::kFloat64);
  const Batch batch = random_batch(tiny_config(1, 1), 2, 7, 1, 4);
  const Tensor latents = torch::linspace(-1, 1, 2 * 4 * 8, torch::kFloat64).view({2, 4, 8});
  const auto embed = [=](const Tensor& x, const Tensor& y) { return embedder->forward(torch::cat({x, y}, -1)); };
  std::vector<Tensor> parameters = embedder->parameters();
  const auto gradients = [&](const std::vector<Tensor>& answers) {
    return torch::autograd::grad({answers.back().pow(3).sum()}, parameters);
  };
  const auto whole = gradients(encoder->forward(latents, embed(batch.xc, batch.yc)));
  for (const std::int64_t chunk : {3, 7, 1000}) {
    const auto streamed = gradients(
        encoder->forward(latents, training::ContextStream{batch.xc, batch.yc, chunk, embed, embedder->parameters()}));
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(streamed[i].allclose(whole[i], 1e-10, 1e-12)) << chunk;
  }
}

class OddStream : public ::testing::TestWithParam<std::int64_t> {  // by width: plain, and by the kernels
 protected:
  const ModelConfig config_ = config_of(GetParam());
  std::shared_ptr<training::NeuralProcess> model_ = training::make_model("cmanp", config_, 3);
  const Batch batch_ = random_batch(config_, 2, 9, 3, 5, torch::kFloat);

  void SetUp() override { model_->settings().context_chunk = 4; }
};

TEST_P(OddStream, LeavesFrozenParametersAlone) {
  for (auto& item : model_->named_parameters()) item.value().set_requires_grad(!item.key().starts_with("embedder."));
  model_->loss(batch_).backward();
  for (const auto& item : model_->named_parameters()) {
    EXPECT_EQ(item.value().grad().defined(), !item.key().starts_with("embedder.")) << item.key();
  }
}

TEST_P(OddStream, NoticesParametersThatChangedSince) {
  const Tensor loss = model_->loss(batch_);
  {
    const torch::NoGradGuard no_grad;
    model_->named_parameters()["embedder.0.weight"].add_(1);
  }
  EXPECT_THROW(loss.backward(), c10::Error);
}

TEST_P(OddStream, OutlivesItsModel) {
  const std::vector<Tensor> parameters = model_->parameters();
  const Tensor loss = model_->loss(batch_);
  model_.reset();
  loss.backward();
  for (const Tensor& parameter : parameters) EXPECT_TRUE(parameter.grad().defined());
}

INSTANTIATE_TEST_SUITE_P(Widths, OddStream, ::testing::Values(8, 16));

}  // namespace
}  // namespace cmanp::testing
