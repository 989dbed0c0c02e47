#include <gtest/gtest.h>

#include <cmanp/events.hpp>
#include <cstring>

#include "events/event_states.hpp"
#include "events/small_event_model.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::testing {
namespace {

class EventStreamTest : public ::testing::Test {
 protected:
  EventStreamTest() {
    write_small_event_model(folder_ / "model", small_event_config(3));
    write_small_event_model(folder_ / "other", small_event_config(3), {}, 2);
  }

  EventModel model() const { return EventModel::load(folder_ / "model"); }

  static void fill(EventStream& stream, double from = 0) {
    for (int i = 0; i < 20; ++i) stream.observe("ann", from + 0.3 * i, static_cast<std::uint32_t>(i % 3));
    for (int i = 0; i < 5; ++i) stream.observe("bob", from + 2.5 * i, 1);
  }

  static void expect_same(const EventForecast& a, const EventForecast& b) {
    EXPECT_EQ(a.gap.weights, b.gap.weights);
    EXPECT_EQ(a.gap.means, b.gap.means);
    EXPECT_EQ(a.gap.deviations, b.gap.deviations);
    EXPECT_EQ(a.marks, b.marks);
  }

  TemporaryFolder folder_;
};

TEST_F(EventStreamTest, AnswersAsTheEngineBehindItDoes) {
  EventStream stream(model());
  events::EventEngine engine(events::EventModel::load(folder_ / "model"));
  events::SequenceState ann = engine.begin();
  expect_same(stream.forecast("ann"), engine.forecast(ann));  // before the first event, too
  EXPECT_EQ(stream.size(), 0u);                               // asking begins nothing
  fill(stream);
  for (int i = 0; i < 20; ++i) engine.observe(ann, 0.3 * i, static_cast<std::uint32_t>(i % 3));
  expect_same(stream.forecast("ann"), engine.forecast(ann));
  EXPECT_EQ(stream.sequences(), (std::vector<std::string>{"ann", "bob"}));
  EXPECT_EQ(stream.events("ann"), 20u);
  EXPECT_EQ(stream.last_time("bob"), 10.0);
  EXPECT_EQ(stream.events("eve"), 0u);
  EXPECT_EQ(stream.last_time("eve"), std::nullopt);
  EXPECT_TRUE(stream.forget("bob"));
  EXPECT_FALSE(stream.forget("bob"));
  EXPECT_EQ(stream.size(), 1u);
}

TEST_F(EventStreamTest, AModelSaysWhatItIs) {
  const EventModel loaded = model();
  const std::string bytes = read_file(folder_ / "model");
  EXPECT_EQ(EventModel::from_bytes(std::as_bytes(std::span(bytes))).hash(), loaded.hash());
  EXPECT_EQ(loaded.mark_names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(loaded.mark_number("c"), 2u);
  EXPECT_EQ(loaded.mark_number("d"), std::nullopt);
  EXPECT_EQ(loaded.clock_start(), std::nullopt);
  EXPECT_EQ(loaded.longest_gap(), 15);
  EXPECT_GT(loaded.parameters(), 100u);
  EXPECT_GT(loaded.memory(), loaded.parameters() * sizeof(float));
  EXPECT_GT(loaded.memory_of_a_sequence(), 100u);
}

TEST_F(EventStreamTest, StatesGoThroughFilesAndBytesAlike) {
  EventStream stream(model());
  fill(stream);
  stream.save(folder_ / "states");
  const std::vector<std::byte> bytes = stream.to_bytes();
  const std::string written = read_file(folder_ / "states");
  ASSERT_EQ(bytes.size(), written.size());
  EXPECT_EQ(std::memcmp(bytes.data(), written.data(), written.size()), 0);
  EventStream loaded = EventStream::load(model(), folder_ / "states");
  EventStream restored = EventStream::from_bytes(model(), bytes);
  for (EventStream* one : {&stream, &loaded, &restored}) fill(*one, 20);
  expect_same(stream.forecast("ann"), loaded.forecast("ann"));
  expect_same(stream.forecast("bob"), restored.forecast("bob"));

  const EventModel other = EventModel::load(folder_ / "other");
  EXPECT_EQ(error_kind([&] { EventStream::from_bytes(other, bytes); }), ErrorKind::wrong_model);
  EXPECT_EQ(error_kind([&] { EventStream::from_bytes(other, std::span(bytes).first(40)); }), ErrorKind::data);
  EXPECT_EQ(error_kind([&] { EventStream::load(other, folder_ / "none"); }), ErrorKind::system);
}

TEST_F(EventStreamTest, ACopyGoesItsOwnWay) {
  EventStream stream(model());
  fill(stream);
  EventStream copy(stream);
  copy.observe("ann", 30, 0);
  copy.observe("eve", 1, 0);
  EXPECT_EQ(stream.events("ann"), 20u);
  EXPECT_EQ(copy.events("ann"), 21u);
  EXPECT_EQ(stream.size(), 2u);
  stream = copy;
  EXPECT_EQ(stream.size(), 3u);
  expect_same(stream.forecast("ann"), copy.forecast("ann"));
}

TEST_F(EventStreamTest, AMistakeLeavesNothingBehind) {
  EventStream stream(model());
  stream.observe("ann", 5, 0);
  EXPECT_EQ(error_kind([&] { stream.observe("ann", 4, 0); }), ErrorKind::data);
  EXPECT_EQ(error_kind([&] { stream.observe("new", NAN, 0); }), ErrorKind::data);
  EXPECT_EQ(error_kind([&] { stream.observe("new", 4, 3); }), ErrorKind::argument);
  EXPECT_EQ(error_kind([&] { stream.observe("\xff", 4, 0); }), ErrorKind::argument);
  EXPECT_EQ(stream.size(), 1u);
  EXPECT_EQ(stream.events("ann"), 1u);
  EXPECT_EQ(error_kind([&] { EventModel::load(folder_.write("text", "no model")); }), ErrorKind::data);
}

}  // namespace
}  // namespace cmanp::testing
