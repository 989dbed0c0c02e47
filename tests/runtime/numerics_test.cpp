// Ten million observations, one at a time, and what becomes of the paper's own update beside ours.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "golden/fixtures.hpp"
#include "kernels/attention_state.hpp"
#include "runtime/small_model.hpp"
#include "support/paper_update.hpp"

namespace cmanp::testing {
namespace {

// Small enough that ten million observations take seconds.
Config tiny_config() {
  Config config;
  config.d_model = config.latent_dim = config.layer_latent_dim = config.dim_feedforward = 4;
  config.nhead = 1;
  config.num_layers = 1;
  config.num_latents = config.num_latents_per_layer = 2;
  config.emb_depth = 2;
  return config;
}

// Every one of 10^5 points is observed 100 times: a softmax over each point repeated is the softmax over each once, so
// that the double-precision batch over the 10^7 is the one over the 10^5.
TEST(NumericsTest, TenMillionSingleObservationsEndWhereADoubleBatchEnds) {
  constexpr std::size_t kDistinct = 100'000, kRepeats = 100;
  const runtime::ModelData data = lively_model(tiny_config(), 3);
  const Task task = random_task(data.config, kDistinct, 20, 4);
  Context context(runtime::make_model(data));
  for (std::size_t repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::size_t i = 0; i < kDistinct; ++i) {
      context.observe(std::span(task.context.x).subspan(i, 1), std::span(task.context.y).subspan(i, 1));
    }
  }
  ASSERT_EQ(context.size(), kDistinct * kRepeats);
  const PlainModel plain(data);
  const Diagonal expected = plain.predict(plain.encode(task.context), task.targets.x);
  const Diagonal answers = predict(context, task.targets.x);
  expect_all_near(answers.mean, expected.mean, 1e-5, "mean");
  expect_all_near(answers.std, expected.std, 1e-5, "std");
}

TEST(NumericsTest, ThePapersUpdateDriftsInFloatAndOursDoesNot) {
  constexpr std::size_t kPoints = 1'000'000;
  const kernels::Heads heads{1, 1};
  kernels::AttentionState ours(heads, 1);
  kernels::AttentionChunk chunk(heads, 1);
  PaperUpdate<float> papers(1);
  std::mt19937_64 generator(1);
  std::normal_distribution<float> normal;
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const float score = normal(generator), value = 3.0f + normal(generator);
    sum += std::exp(static_cast<double>(score));
    weighted += std::exp(static_cast<double>(score)) * static_cast<double>(value);
    papers.update(std::span(&score, 1), std::span(&value, 1));
    // The hardest way: chunks of one point.
    chunk.max[0] = score;
    chunk.sum[0] = 1.0f;
    chunk.weighted[0] = value;
    ours.absorb(chunk);
  }
  const double exact = weighted / sum;
  float read[kernels::kPanel];
  ours.read(read, kernels::kPanel);
  const double our_error = std::abs(static_cast<double>(read[0]) / exact - 1.0);
  const double papers_error = std::abs(static_cast<double>(papers.output()[0]) / exact - 1.0);
  RecordProperty("our_relative_error", std::to_string(our_error));
  RecordProperty("papers_relative_error", std::to_string(papers_error));
  EXPECT_LT(our_error, 1e-6);
  EXPECT_GT(papers_error, 1e-3);
}

}  // namespace
}  // namespace cmanp::testing
