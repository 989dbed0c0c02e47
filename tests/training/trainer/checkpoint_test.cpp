// Checkpoints: whole or not there, the newest is found, damage is named.
#include "training/trainer/checkpoint.hpp"

#include <gtest/gtest.h>

#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::training {
namespace {

using testing::error_message;
using testing::TemporaryFolder;

Checkpoint make_checkpoint(std::int64_t step) {
  const auto value = static_cast<double>(step);
  return {step,
          {{"lr", 0.1}},
          {{"loss_sum", 0.1 + 0.2}},
          {{"w", torch::full({2, 3}, value)}},
          {{"w", torch::full({2, 3}, value + 1)}},
          {{"w", torch::full({2, 3}, value + 2)}},
          {{"w", torch::full({2, 3}, value + 3)}}};
}

TEST(Checkpoint, ComesBackBitForBitAndReplacesOlderOnes) {
  const TemporaryFolder folder;
  EXPECT_FALSE(runs::latest_checkpoint(folder / "none").has_value());
  for (const std::int64_t step : {std::int64_t{5}, std::int64_t{10}, std::int64_t{100000000000}})
    save_checkpoint(folder.path(), make_checkpoint(step));
  EXPECT_EQ(folder.entries(), 1U);
  const Checkpoint read = load_checkpoint(runs::latest_checkpoint(folder.path()).value());
  const Checkpoint written = make_checkpoint(100000000000);
  EXPECT_EQ(read.step, written.step);
  EXPECT_EQ(read.settings, written.settings);
  EXPECT_EQ(read.progress, written.progress);
  for (const auto member :
       {&Checkpoint::weights, &Checkpoint::averaged, &Checkpoint::first_moment, &Checkpoint::second_moment}) {
    ASSERT_EQ((read.*member).size(), 1U);
    EXPECT_TRUE(torch::equal((read.*member).at("w"), (written.*member).at("w")));
  }
}

TEST(Checkpoint, WhatAKillLeftBehindIsNoCheckpoint) {
  const TemporaryFolder folder;
  save_checkpoint(folder.path(), make_checkpoint(5));
  std::filesystem::create_directory(folder / "unfinished");
  std::filesystem::create_directory(folder / "step-00000007x");
  std::filesystem::create_directory(folder / "step--9");
  EXPECT_EQ(runs::latest_checkpoint(folder.path())->filename(), "step-00000005");
  save_checkpoint(folder.path(), make_checkpoint(6));
  EXPECT_EQ(runs::latest_checkpoint(folder.path())->filename(), "step-00000006");
  EXPECT_FALSE(std::filesystem::exists(folder / "unfinished"));
}

TEST(Checkpoint, HoldsTheWeightsThatAreKept) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = make_checkpoint(5);
  checkpoint.kept = KeptWeights{2, -0.1 - 0.2, {{"w", torch::full({2, 3}, 7.0)}}};
  save_checkpoint(folder.path(), checkpoint);
  const auto path = runs::latest_checkpoint(folder.path()).value();
  const auto expect_kept = [&](const KeptWeights& want) {
    const auto kept = load_checkpoint(path).kept;
    ASSERT_TRUE(kept.has_value());
    EXPECT_EQ(kept->step, want.step);
    EXPECT_EQ(kept->log_likelihood, want.log_likelihood);
    EXPECT_TRUE(torch::equal(kept->weights.at("w"), want.weights.at("w")));
  };
  expect_kept(*checkpoint.kept);
  const KeptWeights better{5, 0.25, {{"w", torch::full({2, 3}, 8.0)}}};
  save_kept(path, better);
  expect_kept(better);
  write_tensors(path / "best.safetensors", {{"step", "five"}}, better.weights);
  const std::string message = error_message([&] { load_checkpoint(path); });
  EXPECT_NE(message.find("best.safetensors: its metadata"), std::string::npos) << message;
}

TEST(Checkpoint, DamageIsNamed) {
  const TemporaryFolder folder;
  save_checkpoint(folder.path(), make_checkpoint(5));
  const auto path = runs::latest_checkpoint(folder.path()).value();
  const auto message = [&] { return error_message([&] { load_checkpoint(path); }); };
  const std::string weights = testing::read_file(path / "weights.safetensors");
  std::filesystem::resize_file(path / "weights.safetensors", weights.size() - 5);
  EXPECT_NE(message().find("weights.safetensors"), std::string::npos) << message();
  for (const std::string text : {"", "{}", "[1]", "{\"step\": -1, \"progress\": {}, \"settings\": {}}"}) {
    folder.write("step-00000005/state.json", text);
    EXPECT_NE(message().find("state.json"), std::string::npos) << message();
  }
  std::filesystem::remove(path / "state.json");
  EXPECT_NE(message().find("No such file"), std::string::npos) << message();
}

TEST(Checkpoint, TensorsOfAnotherModelAreRefused) {
  const NamedTensors from{{"w", torch::zeros({2})}};
  const auto message = [&](const NamedTensors& to) { return error_message([&] { copy_tensors("f", from, to); }); };
  EXPECT_EQ(message({{"w", torch::zeros({2})}}), "(no error)");
  EXPECT_NE(message({{"w", torch::zeros({3})}}).find("shape [2], not [3]"), std::string::npos);
  EXPECT_NE(message({}).find("belongs to another model"), std::string::npos);
  EXPECT_NE(message({{"w", torch::zeros({2})}, {"v", torch::zeros({2})}}).find("tensor v is missing"),
            std::string::npos);
}

}  // namespace
}  // namespace cmanp::training
