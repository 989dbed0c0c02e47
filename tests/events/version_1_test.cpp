// States of events that the first version wrote: they load for ever, and what names their model stays what it was.
#include <gtest/gtest.h>

#include "events/event_states.hpp"
#include "files/safetensors.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::events {
namespace {

constexpr const char* kModel = CMANP_SOURCE_DIR "/models/cascades.cmanp";
constexpr const char* kStates = CMANP_SOURCE_DIR "/tests/version_1/cascades.states";

TEST(EventsVersion1, TheShippedModelKeepsItsName) {
  EXPECT_EQ(EventModel::load(kModel)->hash, "0c44cd59888053995a87de9edd61471c");
}

TEST(EventsVersion1, StatesLoad) {
  EventEngine engine(EventModel::load(kModel));
  const SequenceStates states = load_states(kStates, engine);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states.at("ann").events, 3U);
  EXPECT_NEAR(engine.forecast(states.at("ann")).gap.quantile(0.5), 0.6440438363590322, 1e-4);  // its own answer
}

TEST(EventsVersion1, SumsThatNoEventsCanMakeAreRefused) {
  EventEngine engine(EventModel::load(kModel));
  const SequenceStates good = load_states(kStates, engine);
  const testing::TemporaryFolder folder;
  const auto complaint = [&](const auto& change) {
    SequenceStates states = good;
    change(states.at("ann").blocks[0]);
    save_states(folder / "s", engine.model(), states);
    return testing::error_message([&] { load_states(folder / "s", engine); });
  };
  EXPECT_EQ(complaint([](auto&) {}), "(no error)");
  EXPECT_NE(complaint([](auto& block) { block.sum[1] = 1e300; }).find("'ann': \"max\""), std::string::npos);
  EXPECT_NE(complaint([](auto& block) { block.weighted[1] = 1e300; }).find("\"weighted\" holds"), std::string::npos);
}

}  // namespace
}  // namespace cmanp::events
