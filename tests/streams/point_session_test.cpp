#include "streams/point_session.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "fuzz/tiny_model.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace cmanp::streams {
namespace {

using testing::error_message;

class PointSessionTest : public ::testing::Test {
 protected:
  struct Answer {
    double x = 0, mean = 0;
    std::uint64_t observed = 0;
    bool saved = false;  // whether the state's file held all of it by then
  };

  std::unique_ptr<PointSession> session(SessionOptions options = {}) {
    options.warn = [this](const std::string& text) { warnings_.push_back(text); };
    const auto give = [this](const PointAnswer& one) {
      answers_.push_back({one.x[0], one.mean[0], one.observed, points_on_disk() == one.observed});
    };
    return std::make_unique<PointSession>(model_, ContextOptions{}, options,
                                          PointSession::Answers{[this] { ++begun_; }, give});
  }

  SessionOptions kept(double every = 60) const {
    SessionOptions options;
    options.saving.path = state_;
    options.saving.every = every;
    return options;
  }

  static SessionOptions skipping() {
    SessionOptions options;
    options.skip_bad = true;
    return options;
  }

  std::uint64_t points_on_disk() const {
    return std::filesystem::exists(state_) ? Context::load(model_, state_).size() : 0;
  }

  static void take(PointSession& session, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) session.take(lines[i], i + 1);
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path state_ = folder_ / "state";
  Model model_ = testing::tiny_model();
  std::vector<Answer> answers_;
  std::vector<std::string> warnings_;
  int begun_ = 0;
};

TEST_F(PointSessionTest, EachQuestionSeesWhatCameBeforeItOnly) {
  const auto session = this->session();
  take(*session, {"x,y", "0.1,", "0.5,1", "0.1,", "0.2", "-1,0.25", "0.1,"});
  session->settle();
  EXPECT_EQ(begun_, 1);
  ASSERT_EQ(answers_.size(), 4U);
  EXPECT_EQ(answers_[0].observed, 0U);
  EXPECT_EQ(answers_[1].observed, 1U);
  EXPECT_EQ(answers_[2].observed, 1U);
  EXPECT_EQ(answers_[2].x, 0.2);
  EXPECT_EQ(answers_[3].observed, 2U);
  EXPECT_NE(answers_[0].mean, answers_[3].mean);
}

// Through a session come the very bits of a context.
TEST_F(PointSessionTest, AnswersAreTheContexts) {
  const auto session = this->session();
  take(*session, {"x,y", "0.5,1", "-0.75,0.25", "0.1,", "1.5,2", "-3,", "0.125,"});
  session->settle();
  Context context(model_);
  context.observe(std::vector{0.5, -0.75}, std::vector{1.0, 0.25});
  std::vector<double> expected;
  const auto ask = [&](double x) {
    double mean = 0, std = 0;
    context.predict({&x, 1}, {&mean, 1}, {&std, 1});
    expected.push_back(mean);
  };
  ask(0.1);
  context.observe(std::vector{1.5}, std::vector{2.0});
  ask(-3);
  ask(0.125);
  ASSERT_EQ(answers_.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(answers_[i].mean, expected[i]) << i;
}

TEST_F(PointSessionTest, WhatKeepsNoStateIsAskedAsAnyOther) {
  const auto open = [&](SessionOptions options) {
    const auto give = [this](const PointAnswer& one) { answers_.push_back({one.x[0], one.mean[0], one.observed}); };
    return std::make_unique<PointSession>(std::make_unique<runtime::ContextLearner>(Context(model_)),
                                          std::move(options), PointSession::Answers{[this] { ++begun_; }, give});
  };
  const auto session = open(skipping());
  take(*session, {"x,y", "0.1,", "0.5,1", "bad", "0.1,"});
  session->settle();
  session->saver().save_at_the_end();
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[1].observed, 1U);
  EXPECT_EQ(session->bad_rows(), 1U);
  EXPECT_EQ(error_message([&] { open(kept()); }), state_.string() + ": this model keeps no state");
  EXPECT_FALSE(std::filesystem::exists(state_));
}

TEST_F(PointSessionTest, ABadRowIsBlamedByLineAndWhatCameBeforeItIsDone) {
  const auto session = this->session();
  EXPECT_EQ(error_message([&] {
              take(*session, {"x,y", "0.5,1", "0.1,", "1,one"});
            }),
            "standard input:4: column 'y': 'one' is not a number");
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_EQ(session->learner().size(), 1U);
}

TEST_F(PointSessionTest, ARowThatTheModelRefusesIsFoundInItsBatch) {
  SessionOptions options;
  options.source = "sensor";
  const auto session = this->session(options);
  take(*session, {"x,y", "0.5,1", "1e300,1", "2,2"});
  const std::string message = error_message([&] { session->settle(); });
  EXPECT_NE(message.find("sensor:3: "), std::string::npos) << message;
}

TEST_F(PointSessionTest, SkipBadCountsAndGoesOn) {
  const auto session = this->session(skipping());
  take(*session, {"x,y", "0.5,1", "1,one", "1e300,1", "1e300,", "2,2", "1,2,3", "0.1,"});
  session->refuse(Error("standard input:9: unreadable"));
  session->settle();
  EXPECT_EQ(session->bad_rows(), 5U);
  ASSERT_EQ(warnings_.size(), 5U);
  EXPECT_EQ(warnings_[0], "standard input:3: column 'y': 'one' is not a number; row skipped");
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_EQ(session->learner().size(), 2U);
}

TEST_F(PointSessionTest, NothingGoesWithoutTheColumnsNames) {
  EXPECT_THROW(session(skipping())->refuse(Error("unreadable")), Error);
  EXPECT_THROW(session(skipping())->take("y", 1), Error);
  const std::string message = error_message([&] { session()->end_of_lines(); });
  EXPECT_NE(message.find("standard input: empty"), std::string::npos) << message;
}

TEST_F(PointSessionTest, WhatIsAnsweredIsSavedWhereThatIsAskedFor) {
  const auto session = this->session(kept(0));
  take(*session, {"x,y", "0.5,1", "0.1,", "0.6,1", "0.7,1", "0.2,"});
  session->settle();
  ASSERT_EQ(answers_.size(), 2U);
  for (const Answer& answer : answers_) EXPECT_TRUE(answer.saved) << answer.observed;
}

TEST_F(PointSessionTest, TheStateIsTakenUpAgain) {
  {
    const auto session = this->session(kept());
    take(*session, {"x,y", "0.5,1", "0.6,1"});
    session->settle();
    session->saver().save_at_the_end();
  }
  const auto session = this->session(kept());
  take(*session, {"x,y", "0.1,"});
  session->settle();
  EXPECT_EQ(answers_.at(0).observed, 2U);
}

TEST_F(PointSessionTest, OneSessionAtATimeHasTheState) {
  auto first = session(kept());
  const std::string own = std::to_string(::getpid());
  EXPECT_EQ(error_message([&] { session(kept()); }), state_.string() + ": process " + own + " is at work on it");
  first.reset();
  EXPECT_NO_THROW(session(kept()));
}

TEST_F(PointSessionTest, WhoMustLeaveStillTakesInObservations) {
  const auto session = this->session();
  take(*session, {"x,y", "0.5,1"});
  session->stop_answering();
  session->take("0.1,", 3);
  session->take("0.6,1", 4);
  session->settle();
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(session->learner().size(), 2U);
}

}  // namespace
}  // namespace cmanp::streams
