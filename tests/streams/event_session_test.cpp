#include "streams/event_session.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fuzz/tiny_event_model.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::streams {
namespace {

using testing::error_message;

class EventSessionTest : public ::testing::Test {
 protected:
  std::unique_ptr<EventSession> session(SessionOptions options = {}, bool on_request = false) {
    options.warn = [this](const std::string& text) { warnings_.push_back(text); };
    EventSessionOptions of_events;
    of_events.on_request = on_request;
    const auto give = [this](const EventAnswer& one) {
      answers_.push_back(one);
      on_disk_.push_back(events_on_disk(one.sequence));
    };
    return std::make_unique<EventSession>(model_, of_events, options,
                                          EventSession::Answers{[this](bool named) { named_ = named; }, give});
  }

  SessionOptions kept(double every = 60) const {
    SessionOptions options;
    options.saving.path = state_;
    options.saving.every = every;
    return options;
  }

  std::uint64_t events_on_disk(const std::string& sequence) const {
    if (!std::filesystem::exists(state_)) return 0;
    return EventStream::load(model_, state_).events(sequence);
  }

  static EventModel tiny_model(const testing::TemporaryFolder& folder) {
    testing::write_small_event_model(folder / "model", testing::tiny_event_config(2));
    return EventModel::load(folder / "model");
  }

  static void take(EventSession& session, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) session.take(lines[i], i + 1);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path state_ = folder_ / "states";
  EventModel model_ = tiny_model(folder_);  // with marks a and b
  std::vector<EventAnswer> answers_;
  std::vector<std::uint64_t> on_disk_;  // events of the answer's sequence when it was given
  std::vector<std::string> warnings_;
  bool named_ = false;
};

TEST_F(EventSessionTest, AnswersEachEventByItsSequence) {
  const auto session = this->session();
  take(*session, {"sequence,time,mark", "x,1,a", "y,1.5,b", "x,2,b"});
  session->settle();
  EXPECT_TRUE(named_);
  ASSERT_EQ(answers_.size(), 3U);
  EXPECT_EQ(answers_[1].sequence, "y");
  EXPECT_EQ(answers_[1].events, 1U);
  EXPECT_EQ(answers_[2].sequence, "x");
  EXPECT_EQ(answers_[2].events, 2U);
  EXPECT_EQ(session->sequences().size(), 2U);
}

TEST_F(EventSessionTest, TimesMayBeDates) {
  const auto session = this->session();
  take(*session, {"time;mark", "2024-05-31 12:00:00;a", "2024-05-31T12:00:01.5Z;b"});
  session->settle();
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(session->sequences().last_time(""), 1717156801.5);
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(error_message([&] { session->take("yesterday;a", 4); }),
            "standard input:4: time 'yesterday' is not a number");
}

TEST_F(EventSessionTest, WarnsOfColumnsThatMayHaveBeenMeant) {
  const auto session = this->session();
  take(*session, {"user,time,mark"});
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("no column 'sequence': all events are one sequence"), std::string::npos);
}

TEST_F(EventSessionTest, WhatIsAnsweredIsSavedWhereThatIsAskedFor) {
  const auto session = this->session(kept(0));
  std::vector<std::string> lines{"sequence,time,mark"};
  for (int i = 0; i < 600; ++i) lines.push_back("x," + std::to_string(i) + ",a");  // more than are held back at once
  take(*session, lines);
  session->settle();
  ASSERT_EQ(answers_.size(), 600U);
  for (std::size_t i = 0; i < answers_.size(); ++i) EXPECT_LE(answers_[i].events, on_disk_[i]);
}

TEST_F(EventSessionTest, OnRequestOnlyQuestionsAreAnswered) {
  const auto session = this->session({}, true);
  take(*session, {"sequence,time,mark", "x,1,a", "x,2,b", "x,,", "new,,"});
  session->settle();
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].events, 2U);
  EXPECT_EQ(answers_[1].events, 0U);
  EXPECT_EQ(session->sequences().size(), 1U);  // asking begins no sequence
}

TEST_F(EventSessionTest, BadRowsAreBlamedByLine) {
  EXPECT_EQ(error_message([&] {
              take(*session(), {"time,mark", "1,q"});
            }),
            "standard input:2: mark 'q' is none of the 2 that the model knows");
  EXPECT_EQ(error_message([&] {
              take(*session(), {"time,mark", "soon,a"});
            }),
            "standard input:2: time 'soon' is not a number");
  SessionOptions options;
  options.skip_bad = true;
  const auto session = this->session(options);
  take(*session, {"time,mark", "1,a", "0,a", "2,q", "3,b"});
  session->settle();
  EXPECT_EQ(session->bad_rows(), 2U);
  EXPECT_EQ(warnings_.size(), 2U);
  EXPECT_EQ(answers_.size(), 2U);
  EXPECT_EQ(session->sequences().events(""), 2U);
}

TEST_F(EventSessionTest, ASequenceThatBeganBadlyDidNotBegin) {
  SessionOptions options = kept();
  options.skip_bad = true;
  const auto session = this->session(options);
  take(*session, {"sequence,time,mark", "x,-1,a"});
  EXPECT_EQ(session->sequences().size(), 0U);
  EXPECT_FALSE(session->saver().due());  // nothing to save
}

TEST_F(EventSessionTest, OneSessionAtATimeHasTheStates) {
  const auto first = session(kept());
  EXPECT_THROW(session(kept()), Error);
}

}  // namespace
}  // namespace cmanp::streams
