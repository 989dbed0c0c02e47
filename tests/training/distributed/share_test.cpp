// Shares of a batch: all of it, each task once; and what they compute adds up to what one process computes.
#include "training/distributed/share.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "training/tasks/task.hpp"
#include "training/trainer/flat_parameters.hpp"
#include "training/trainer/fresh_model.hpp"
#include "training/trainer/settings.hpp"

namespace cmanp::training {
namespace {

TEST(Share, SharesCoverTheBatchAndDifferByOneTaskAtMost) {
  for (const std::int64_t tasks : {3, 4, 5, 16, 100}) {
    for (const int size : {1, 2, 3}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Share share = share_of(tasks, rank, size);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.count, tasks / size);
        EXPECT_LE(share.count, tasks / size + 1);
        next += share.count;
      }
      EXPECT_EQ(next, tasks);
    }
  }
  const std::string message = testing::error_message([] { share_of(2, 0, 3); });
  EXPECT_NE(message.find("batch 2 is less than one task for each of 3 processes"), std::string::npos) << message;
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

// Draws of the models' own (latents, bootstraps, noise) included.
TEST_P(EveryModel, GradientsOfSharesAddUpToThatOfTheBatch) {
  nlohmann::ordered_json document = preset("nano", GetParam());
  document.update({{"model", GetParam()}, {"batch", 5}, {"max_points", 12}});
  if (GetParam() == "tnpa") document["bound_std"] = true;  // draws noise then
  const Settings settings = parse_settings(document, "");
  const auto model = fresh_model(settings);
  const FlatParameters parameters(*model);
  Random random(1, Stream::training, 0);
  const Batch batch = make_task(settings)->next(random);
  const auto generator = [] { return at::detail::createCPUGenerator(7); };

  model->use(generator());
  const torch::Tensor whole_loss = model->loss(batch);
  whole_loss.backward();
  const torch::Tensor whole = parameters.gradients().clone();

  parameters.gradients().zero_();
  double loss_sum = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const Share share = share_of(5, rank, 3);
    model->use(share.random(generator()));
    const torch::Tensor loss = model->loss(share.of(batch)) * share.weight();
    loss.backward();
    loss_sum += loss.item<double>();
  }
  EXPECT_NEAR(loss_sum, whole_loss.item<double>(), 1e-4 * (1 + std::abs(loss_sum)));
  const double error = (parameters.gradients() - whole).norm().item<double>();
  EXPECT_LT(error, 1e-5 * whole.norm().item<double>());
}

INSTANTIATE_TEST_SUITE_P(Share, EveryModel, ::testing::ValuesIn(model_names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace cmanp::training
