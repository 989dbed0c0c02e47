#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "runtime/engine.hpp"
#include "runtime/small_model.hpp"
#include "runtime/state_data.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

class StateFileTest : public ::testing::Test {
 protected:
  StateFileTest() { observe(context_, points_for(model_, 300)); }  // two chunks folded, 44 points pending

  std::filesystem::path file() const { return folder_ / "state.safetensors"; }

  // What reading says of a state that was changed before writing.
  std::string complaint(const std::function<void(runtime::StateData&)>& change) {
    runtime::StateData data = runtime::Access::engine(context_).state();
    change(data);
    runtime::write_state(file(), data);
    return error_message([&] { Context::load(model_, file()); });
  }

  TemporaryFolder folder_;
  Model model_ = small_model();
  Context context_{model_};
};

TEST_F(StateFileTest, ARestoredContextGoesOnBitForBit) {
  context_.save(file());
  Context restored = Context::load(model_, file(), {2, 5});
  EXPECT_EQ(restored.size(), 300u);
  const Points more = points_for(model_, 500, 2);
  observe(context_, more);
  observe(restored, more);
  const std::vector<double> x = points_for(model_, 20, 9).x;
  EXPECT_EQ(predict(context_, x).mean, predict(restored, x).mean);
}

TEST_F(StateFileTest, BytesAreTheFileWithoutAFile) {
  context_.save(file());
  const std::vector<std::byte> bytes = context_.to_bytes();
  const std::string written = read_file(file());
  ASSERT_EQ(bytes.size(), written.size());
  EXPECT_EQ(std::memcmp(bytes.data(), written.data(), written.size()), 0);
  Context restored = Context::from_bytes(model_, bytes, {.threads = 2, .block = 3});
  EXPECT_EQ(restored.size(), 300u);
  EXPECT_EQ(restored.options().block, 3u);
  const std::vector<double> x = points_for(model_, 20, 9).x;
  EXPECT_EQ(predict(context_, x).mean, predict(restored, x).mean);

  EXPECT_EQ(error_kind([&] { Context::from_bytes(small_model("base", 77), bytes); }), ErrorKind::wrong_model);
  EXPECT_EQ(error_kind([&] { Context::from_bytes(model_, std::span(bytes).first(100)); }), ErrorKind::data);
  EXPECT_EQ(error_message([&] { Context::from_bytes(model_, {}, {}, "from the net"); }).rfind("from the net: ", 0), 0u);
}

TEST_F(StateFileTest, ACopyMayHaveOptionsOfItsOwn) {
  Context copy(context_, {.threads = 1, .block = 2});
  EXPECT_EQ(copy.options().block, 2u);
  observe(copy, points_for(model_, 1, 2));
  EXPECT_EQ(copy.size(), 301u);
  EXPECT_EQ(context_.size(), 300u);
}

TEST_F(StateFileTest, ErrorsHaveAKind) {
  EXPECT_EQ(error_kind([&] { Context::load(model_, folder_ / "none"); }), ErrorKind::system);
  EXPECT_EQ(error_kind([&] { context_.save(folder_ / "no" / "folder"); }), ErrorKind::system);
  EXPECT_EQ(error_kind([&] { Context::load(model_, folder_.write("text", "no state")); }), ErrorKind::data);
  EXPECT_EQ(error_kind([&] { context_.merge(Context(small_model("base", 77))); }), ErrorKind::wrong_model);
  EXPECT_EQ(error_kind([&] { Context(model_, {.threads = 0}); }), ErrorKind::argument);
  const std::size_t dx = model_.config().dim_x, dy = model_.config().dim_y;
  std::vector<double> x(dx, 0.5), y(dy, 0.5);
  EXPECT_EQ(error_kind([&] { context_.observe(x, std::span(y).first(0)); }), ErrorKind::argument);
  x[0] = NAN;
  EXPECT_EQ(error_kind([&] { context_.observe(x, y); }), ErrorKind::data);
}

TEST_F(StateFileTest, AnEmptyStateIsKept) {
  Context(model_).save(file());
  EXPECT_EQ(Context::load(model_, file()).size(), 0u);
}

TEST_F(StateFileTest, StatesMergeWithoutTheirModel) {
  Context other(model_), whole(context_);
  observe(other, points_for(model_, 199, 3));
  observe(whole, points_for(model_, 199, 3));
  runtime::StateData data = runtime::Access::engine(context_).state();
  data.merge(runtime::Access::engine(other).state());
  runtime::write_state(file(), data);
  Context merged = Context::load(model_, file());
  EXPECT_EQ(merged.size(), 499u);
  const std::vector<double> x = points_for(model_, 20, 9).x;
  const Diagonal left = predict(merged, x), right = predict(whole, x);
  for (std::size_t i = 0; i < left.mean.size(); ++i) EXPECT_NEAR(left.mean[i], right.mean[i], 1e-5);
}

TEST_F(StateFileTest, AStateOfAnotherModelIsRefused) {
  context_.save(file());
  const std::string message = error_message([&] { Context::load(small_model("base", 77), file()); });
  EXPECT_NE(message.find("state of another model"), std::string::npos) << message;
  EXPECT_NE(message.find("state.safetensors"), std::string::npos) << message;
}

TEST_F(StateFileTest, LiesAreRefused) {
  using Data = runtime::StateData;
  const auto expect = [&](const char* words, const std::function<void(Data&)>& change) {
    const std::string message = complaint(change);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect("is no state", [](Data& data) { data.blocks[1].max[3] = NAN; });
  expect("is no state", [](Data& data) { data.blocks[0].sum[2] = -1.0; });
  expect("is no state", [](Data& data) { data.blocks[0].sum[2] = 0.0; });
  expect("\"weighted\" holds", [](Data& data) { data.blocks[1].weighted[5] = INFINITY; });
  expect("\"pending_y\" holds", [](Data& data) { data.pending_y[0] = NAN; });
  expect("more points are pending", [](Data& data) { data.points = 3; });
  expect("is no state", [](Data& data) { data.points = data.pending_count(); });
  expect("is no state", [](Data& data) { data.blocks[0].sum[2] = 1e300; });
  expect("is no state", [](Data& data) { data.blocks[0].sum[2] = 257.0; });  // of 256 points that are folded in
  expect("\"weighted\" holds", [](Data& data) { data.blocks[1].weighted[5] = 1e300; });
  expect("pending, point 3: y1 is 1e+300, too large", [](Data& data) { data.pending_y[2 * data.dim_y] = 1e300; });
  expect("pending, point 1: x1 is -1e+300, too large", [](Data& data) { data.pending_x[0] = -1e300; });
  expect("other units", [](Data& data) { data.normalisation->y_scale[0] = 1e200; });
  expect("other shapes", [](Data& data) { data.blocks.pop_back(); });
  expect("other shapes", [](Data& data) {
    for (auto& block : data.blocks) block = kernels::AttentionState({2, 3}, 5);
    data.points = data.pending_count();
  });
}

// What a state cannot be, it cannot become by merging either, and the good one stays as it is.
TEST_F(StateFileTest, PoisonIsNotMerged) {
  const runtime::StateData good = runtime::Access::engine(context_).state();
  const auto complaint_of = [&](bool units, const std::function<void(runtime::StateData&)>& poison) {
    runtime::StateData data = good, bad = good;
    data.pending_x.resize(10 * data.dim_x);
    data.pending_y.resize(10 * data.dim_y);
    poison(bad);
    if (!units) data.normalisation = bad.normalisation = std::nullopt;
    const std::vector<std::byte> before = runtime::state_bytes(data);
    const std::string message = error_message([&] { data.merge(bad); });
    EXPECT_EQ(runtime::state_bytes(data), before);
    return message;
  };
  const auto huge = [](runtime::StateData& data) { data.pending_y[0] = 1e300; };
  EXPECT_EQ(complaint_of(true, huge),
            "of the points that are pending, point 1: y1 is 1e+300, too large for this model");
  EXPECT_EQ(complaint_of(false, huge),
            "of the points that are pending, point 1: y1 is 1e+300, too large for this model, or its units are others");
  EXPECT_EQ(complaint_of(true, [](runtime::StateData& data) { data.points = ~std::uint64_t{0} - 5; }),
            "the number of their points is beyond all numbers");
  EXPECT_EQ(complaint_of(true, [](runtime::StateData& data) { data.normalisation->x_shift[0] = 7; }),
            "states of one model with different shapes or units cannot be merged");
}

// Pending points are few, however many states are merged.
TEST_F(StateFileTest, MergingDoesNotPileUp) {
  Context whole(model_);
  std::size_t largest = 0;
  for (int i = 0; i < 40; ++i) {
    whole.merge(context_);
    largest = std::max(largest, runtime::state_bytes(runtime::Access::engine(whole).state()).size());
  }
  EXPECT_EQ(whole.size(), 40U * 300U);
  context_.save(file());
  const std::size_t one_point = (model_.config().dim_x + model_.config().dim_y) * sizeof(double);
  EXPECT_LT(largest, std::filesystem::file_size(file()) + 128 * one_point);
  runtime::StateData data = runtime::Access::engine(context_).state();
  for (int i = 0; i < 4; ++i) data.merge(runtime::Access::engine(context_).state());
  EXPECT_EQ(error_message([&] { data.merge(runtime::Access::engine(context_).state()); }),
            "264 points of these states are pending, and only their model can fold them in");
  EXPECT_EQ(data.pending_count(), 220U);
}

TEST_F(StateFileTest, BytesAreWhatAFileHolds) {
  context_.save(file());
  const std::vector<std::byte> bytes = runtime::state_bytes(runtime::Access::engine(context_).state());
  EXPECT_EQ(read_file(file()), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_EQ(runtime::parse_state(files::Safetensors::parse(bytes, "memory")).points, 300U);
  EXPECT_NE(
      error_message([&] { Context::from_bytes(model_, std::span(bytes).first(100), {}, "memory"); }).find("memory: "),
      std::string::npos);
}

// What was usual in a stream goes with its state, but not into one of two streams.
TEST_F(StateFileTest, WhatWasUsualIsKept) {
  const auto unusual_of = [](Context & context) -> auto& { return runtime::Access::engine(context).unusual(); };
  auto& kept = unusual_of(context_);
  kept.resize(model_.config().dim_y);
  for (std::size_t i = 0; i < 100; ++i) kept[0].add(std::sin(static_cast<double>(i)) / 3, 0.1 * static_cast<double>(i));
  context_.save(file());
  Context restored = Context::load(model_, file());
  ASSERT_EQ(unusual_of(restored).size(), kept.size());
  EXPECT_EQ(unusual_of(restored)[0].of(3, 20), kept[0].of(3, 20));
  EXPECT_EQ(unusual_of(restored)[0].count, 100U);
  restored.save(folder_ / "again");
  EXPECT_EQ(read_file(folder_ / "again"), read_file(file()));
  restored.merge(context_);
  EXPECT_TRUE(unusual_of(restored).empty());
  unusual_of(restored) = kept;
  restored.reset();
  EXPECT_TRUE(unusual_of(restored).empty());
}

TEST_F(StateFileTest, NothingElseWasUsual) {
  const auto expect = [&](const char* words, const std::function<void(base::Unusual&)>& change) {
    const std::string message = complaint([&](runtime::StateData& data) {
      data.unusual.resize(data.dim_y);
      change(data.unusual.back());
    });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect("a finite number \"mean\"", [](base::Unusual& usual) { usual.place.mean = NAN; });
  expect("no \"deviation\" below 0", [](base::Unusual& usual) { usual.place.deviation = -1; });
  expect("a positive \"excess\"", [](base::Unusual& usual) { usual.surprise.excess = 0; });
  expect("a whole number \"count\"", [](base::Unusual& usual) { usual.count = ~std::uint64_t{0}; });
  EXPECT_NE(complaint([](runtime::StateData& data) { data.unusual.resize(data.dim_y + 1); }).find("must be a list of"),
            std::string::npos);
}

TEST_F(StateFileTest, OtherFilesAreRefused) {
  runtime::write_model(file(), lively_model(freedoms().at("base"), 1));
  EXPECT_NE(error_message([&] { Context::load(model_, file()); }).find("not a saved state"), std::string::npos);
  context_.save(file());
  EXPECT_NE(error_message([&] { Model::load(file()); }).find("not a cmanp model"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::testing
