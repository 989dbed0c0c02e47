#include "events/event_engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "events/event_states.hpp"
#include "events/small_event_model.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::events {
namespace {

using testing::error_message;
using testing::small_event_config;
using testing::TemporaryFolder;
using testing::write_small_event_model;

class EventStreams : public ::testing::Test {
 protected:
  std::shared_ptr<const EventModel> model(const CmhpConfig& config, std::optional<double> from = {}) {
    write_small_event_model(folder_ / "model", config, from);
    return EventModel::load(folder_ / "model");
  }

  static void expect_same(const Forecast& a, const Forecast& b) {
    EXPECT_EQ(a.gap.weights, b.gap.weights);
    EXPECT_EQ(a.gap.means, b.gap.means);
    EXPECT_EQ(a.gap.deviations, b.gap.deviations);
    EXPECT_EQ(a.marks, b.marks);
  }

  TemporaryFolder folder_;
};

TEST_F(EventStreams, AnswersFromTheFirstMomentOn) {
  EventEngine engine(model(small_event_config(3), 0.0));
  SequenceState state = engine.begin();
  for (int i = 0; i < 50; ++i) {
    const Forecast forecast = engine.forecast(state);
    EXPECT_NEAR(std::accumulate(forecast.marks.begin(), forecast.marks.end(), 0.0), 1, 1e-12);
    EXPECT_NEAR(forecast.gap.cdf(forecast.gap.quantile(0.3)), 0.3, 1e-9);
    engine.observe(state, 0.3 * i, static_cast<std::uint32_t>(i % 3));
  }
  EXPECT_EQ(state.events, 50);
}

TEST_F(EventStreams, AnAnswerChangesNothing) {
  EventEngine engine(model(small_event_config(3)));
  SequenceState asked = engine.begin(), silent = engine.begin();
  for (int i = 0; i < 20; ++i) {
    engine.observe(asked, i, 1);
    engine.observe(silent, i, 1);
    engine.forecast(asked);
  }
  expect_same(engine.forecast(asked), engine.forecast(silent));
}

TEST_F(EventStreams, StateDoesNotGrow) {
  EventEngine engine(model(small_event_config(0)));
  SequenceState state = engine.begin();
  const std::size_t bytes = state.bytes();
  for (int i = 0; i < 2000; ++i) engine.observe(state, i, 0);
  EXPECT_EQ(state.bytes(), bytes);
  EXPECT_TRUE(std::isfinite(engine.forecast(state).gap.mean_up_to(1e9)));
}

TEST_F(EventStreams, SequencesKeepApart) {
  EventEngine engine(model(small_event_config(2)));
  SequenceState alone = engine.begin(), first = engine.begin(), second = engine.begin();
  for (int i = 0; i < 10; ++i) {
    engine.observe(alone, i, 0);
    engine.observe(first, i, 0);
    engine.observe(second, 7 * i, 1);
  }
  expect_same(engine.forecast(alone), engine.forecast(first));
  EXPECT_NE(engine.forecast(first).marks, engine.forecast(second).marks);
}

TEST_F(EventStreams, AClockThatBeginsWithTheFirstEventKnowsNoOtherTime) {
  EventEngine engine(model(small_event_config(2)));
  SequenceState early = engine.begin(), late = engine.begin();
  for (const double time : {0.0, 1.5, 1.5, 4.0}) {
    engine.observe(early, time, 0);
    engine.observe(late, time + 1024, 0);
  }
  expect_same(engine.forecast(early), engine.forecast(late));
}

TEST_F(EventStreams, LongSilenceAndHugeTimesStayFinite) {
  EventEngine engine(model(small_event_config(2)));
  SequenceState state = engine.begin();
  for (const double time : {0.0, 1e-300, 1.0, 1e9, 1e300}) {
    engine.observe(state, time, 0);
    const Forecast forecast = engine.forecast(state);
    EXPECT_TRUE(std::isfinite(forecast.gap.quantile(0.5))) << time;
    EXPECT_TRUE(std::isfinite(forecast.marks[0])) << time;
  }
}

TEST_F(EventStreams, ABadEventIsRefusedAndForgotten) {
  EventEngine engine(model(small_event_config(2)));
  SequenceState state = engine.begin();
  engine.observe(state, 5, 0);
  const Forecast before = engine.forecast(state);
  EXPECT_EQ(error_message([&] { engine.observe(state, 4, 0); }),
            "time 4 comes after 5; a sequence's events must be in the order of time");
  EXPECT_EQ(error_message([&] { engine.observe(state, -1, 0); }), "time -1 is not a finite number from 0 on");
  EXPECT_EQ(error_message([&] { engine.observe(state, NAN, 0); }), "time nan is not a finite number from 0 on");
  EXPECT_EQ(error_message([&] { engine.observe(state, 6, 2); }), "there is no mark number 2");
  EXPECT_EQ(state.events, 1);
  expect_same(engine.forecast(state), before);
}

TEST_F(EventStreams, StatesGoOnFromTheirFile) {
  EventEngine engine(model(small_event_config(2), 0.0));
  SequenceStates states;
  for (const char* name : {"ann", "bob, the second"}) {
    SequenceState& state = states.emplace(name, engine.begin()).first->second;
    for (int i = 0; i < 5; ++i) engine.observe(state, i * (name[0] == 'a' ? 1 : 2), 1);
  }
  save_states(folder_ / "states", engine.model(), states);
  SequenceStates loaded = load_states(folder_ / "states", engine);
  ASSERT_EQ(loaded.size(), 2);
  for (auto& [name, state] : states) {
    expect_same(engine.forecast(state), engine.forecast(loaded.at(name)));
    engine.observe(state, 100, 0);
    engine.observe(loaded.at(name), 100, 0);
    expect_same(engine.forecast(state), engine.forecast(loaded.at(name)));
    EXPECT_EQ(loaded.at(name).events, 6);
    EXPECT_EQ(loaded.at(name).recent.marks(), (std::vector<std::uint32_t>{0, 1}));
  }
  save_states(folder_ / "none", engine.model(), {});
  EXPECT_TRUE(load_states(folder_ / "none", engine).empty());
}

TEST_F(EventStreams, TheNewestDistinctMarksAreRemembered) {
  RecentMarks recent(3);
  for (const std::uint32_t mark : {5, 7, 5, 9, 1}) recent.see(mark);
  EXPECT_EQ(recent.marks(), (std::vector<std::uint32_t>{1, 9, 5}));
  EXPECT_EQ(recent.place_of(9), 1);
  EXPECT_EQ(recent.place_of(7), 3);  // nowhere
  recent.see(5);
  EXPECT_EQ(recent.marks(), (std::vector<std::uint32_t>{5, 1, 9}));
}

TEST_F(EventStreams, StatesOfAnotherModelAreRefused) {
  EventEngine engine(model(small_event_config(2)));
  save_states(folder_ / "states", engine.model(), {{"a", engine.begin()}});
  write_small_event_model(folder_ / "other", small_event_config(2), {}, 2);
  EventEngine other(EventModel::load(folder_ / "other"));
  EXPECT_NE(error_message([&] { load_states(folder_ / "states", other); }).find("states of another model"),
            std::string::npos);
  EXPECT_NE(error_message([&] { load_states(folder_ / "model", other); }).find("not a file of event states"),
            std::string::npos);
}

TEST_F(EventStreams, BadStatesAreRefused) {
  EventEngine engine(model(small_event_config(2)));
  SequenceState state = engine.begin();
  state.blocks[1].sum[0] = NAN;
  save_states(folder_ / "states", engine.model(), {{"a", state}});
  EXPECT_NE(error_message([&] { load_states(folder_ / "states", engine); }).find("sequence 'a': "), std::string::npos);
  state = engine.begin();
  state.recent.see(77);
  save_states(folder_ / "states", engine.model(), {{"a", state}});
  EXPECT_NE(error_message([&] { load_states(folder_ / "states", engine); }).find("sequence 'a': mark 77"),
            std::string::npos);
}

TEST_F(EventStreams, EveryOptionChangesTheModel) {
  for (const auto& member :
       {&CmhpConfig::decay, &CmhpConfig::last_token, &CmhpConfig::previous_mark, &CmhpConfig::normalisers}) {
    CmhpConfig config = small_event_config(2);
    config.*member = false;
    EventEngine engine(model(config));
    SequenceState state = engine.begin();
    engine.observe(state, 1, 1);
    EXPECT_TRUE(std::isfinite(engine.forecast(state).gap.mean_up_to(1e9)));
    EXPECT_EQ(engine.model().config, config);
  }
}

TEST_F(EventStreams, BadModelsAreRefusedByName) {
  CmhpConfig config = small_event_config(2);
  const auto refused = [&](const files::Metadata& metadata) {
    files::write_safetensors(folder_ / "bad", metadata, {});
    return error_message([&] { EventModel::load(folder_ / "bad"); });
  };
  files::Metadata metadata = model_metadata(config, {}, "{}");
  EXPECT_NE(refused(metadata).find("names 0 marks, but its configuration has 2"), std::string::npos);
  metadata["domain"] = R"({"log_mean": 0, "log_std": 0, "tie_gap": 1, "span": 1})";
  EXPECT_NE(refused(metadata).find("\"log_std\" must be a finite positive number"), std::string::npos);
  metadata["domain"] =
      R"({"log_mean": 0, "log_std": 1, "tie_gap": 1, "span": 1, "longest_gap": 9, "marks": ["a", "b"]})";
  EXPECT_NE(refused(metadata).find("is missing"), std::string::npos);  // the first tensor
  metadata["config"] = R"({"d_model": 7, "nhead": 2})";
  EXPECT_NE(refused(metadata).find("not a multiple"), std::string::npos);
  metadata["config"] = R"({"recent_marks": 2})";
  EXPECT_NE(refused(metadata).find("\"recent_marks\" without marks"), std::string::npos);
  metadata["config"] = R"({"latent": 7})";
  EXPECT_NE(refused(metadata).find("unknown key 'latent'"), std::string::npos);
  metadata["model"] = "cmanp";
  EXPECT_NE(refused(metadata).find("need a model cmhp"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::events
