#include "streams/saver.hpp"

#include <gtest/gtest.h>

#include <cmanp/error.hpp>
#include <vector>

#include "support/temporary_folder.hpp"

namespace cmanp::streams {
namespace {

using std::chrono::seconds;

// A state that counts what it took in, a clock that goes by hand, and a disk that can be full.
class SaverTest : public ::testing::Test {
 protected:
  Saver saver(double every) {
    return {{.path = folder_ / "state", .every = every},
            {.taken_in = [this] { return taken_in_; },
             .save =
                 [this] {
                   if (full_) throw Error("disk full");
                   saved_.push_back(taken_in_);
                 },
             .warn = [this](const std::string& text) { warnings_.push_back(text); },
             .now = [this] { return now_; }}};
  }

  testing::TemporaryFolder folder_;
  std::uint64_t taken_in_ = 0;
  Saver::Clock::time_point now_;
  bool full_ = false;
  std::vector<std::uint64_t> saved_;
  std::vector<std::string> warnings_;
};

TEST_F(SaverTest, SavesWhatIsNewWhenItIsTime) {
  Saver saver = this->saver(60);
  EXPECT_FALSE(saver.due());
  taken_in_ = 3;
  EXPECT_EQ(saver.due(), now_ + seconds(60));
  saver.save_if_due();
  EXPECT_TRUE(saved_.empty());
  now_ += seconds(60);
  saver.save_if_due();
  EXPECT_EQ(saved_, std::vector<std::uint64_t>({3}));
  EXPECT_FALSE(saver.due());
  now_ += seconds(600);
  saver.save_if_due();
  EXPECT_EQ(saved_.size(), 1U);  // nothing new
}

TEST_F(SaverTest, ASavingThatFailsIsToldOnceAndTriedAgain) {
  Saver saver = this->saver(60);
  full_ = true;
  taken_in_ = 1;
  for (int minute = 0; minute < 5; ++minute) {
    now_ += seconds(60);
    EXPECT_NO_THROW(saver.save_if_due());
    EXPECT_EQ(saver.due(), now_ + seconds(60));
  }
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("disk full; going on"), std::string::npos) << warnings_[0];
  full_ = false;
  now_ += seconds(60);
  saver.save_if_due();
  EXPECT_EQ(saved_, std::vector<std::uint64_t>({1}));
  ASSERT_EQ(warnings_.size(), 2U);
  EXPECT_NE(warnings_[1].find("saved again"), std::string::npos) << warnings_[1];
}

TEST_F(SaverTest, ShortTimesDoNotHammerADiskThatIsFull) {
  Saver saver = this->saver(0.001);
  full_ = true;
  taken_in_ = 1;
  now_ += seconds(1);
  saver.save_if_due();
  EXPECT_EQ(saver.due(), now_ + seconds(1));
}

TEST_F(SaverTest, TheLastSavingMustSucceed) {
  Saver saver = this->saver(60);
  full_ = true;
  taken_in_ = 1;
  EXPECT_THROW(saver.save_at_the_end(), Error);
  full_ = false;
  saver.save_at_the_end();
  EXPECT_EQ(saved_, std::vector<std::uint64_t>({1}));
}

TEST_F(SaverTest, AnEmptyStateIsSavedWhereThereIsNoFile) {
  saver(60).save_at_the_end();
  EXPECT_EQ(saved_, std::vector<std::uint64_t>({0}));
  folder_.write("state", "");
  saver(60).save_at_the_end();
  EXPECT_EQ(saved_.size(), 1U);
}

TEST_F(SaverTest, BeforeAnswersEverythingIsSavedOrNothingIsAnswered) {
  Saver saver = this->saver(0);
  taken_in_ = 1;
  saver.before_answers();
  EXPECT_EQ(saved_, std::vector<std::uint64_t>({1}));
  full_ = true;
  taken_in_ = 2;
  EXPECT_THROW(saver.before_answers(), Error);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SaverTest, OtherwiseAnswersDoNotWaitForIt) {
  Saver saver = this->saver(60);
  taken_in_ = 1;
  saver.before_answers();
  EXPECT_TRUE(saved_.empty());
}

}  // namespace
}  // namespace cmanp::streams
