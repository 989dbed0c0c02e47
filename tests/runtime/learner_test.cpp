// A context as a learner: the same bits, whoever asks.
#include "runtime/learner.hpp"

#include "runtime/small_model.hpp"

namespace cmanp::testing {
namespace {

class LearnerTest : public ::testing::TestWithParam<std::string> {
 protected:
  LearnerTest() { observe(context_, seen_); }

  Model model_ = small_model(GetParam());
  Points seen_ = points_for(model_, 25), asked_ = points_for(model_, 7, 9);
  Context context_{model_, {2, 5}};
};

TEST_P(LearnerTest, AnswersAsItsContext) {
  runtime::ContextLearner learner(context_);
  EXPECT_EQ(learner.size(), 25U);
  std::vector<double> mean(asked_.y.size()), std(mean), learnt_mean(mean), learnt_std(mean);
  context_.predict(asked_.x, mean, std);
  learner.predict(asked_.x, learnt_mean, learnt_std);
  EXPECT_EQ(mean, learnt_mean);
  EXPECT_EQ(std, learnt_std);
  const SampleOptions options{.draws = 3, .block = 3, .seed = 17, .growth = 0.1};
  std::vector<double> drawn(3 * asked_.y.size()), learnt(drawn);
  sample(context_, asked_.x, drawn, options);
  learner.sample(asked_.x, learnt, options);
  EXPECT_EQ(drawn, learnt);
}

TEST_P(LearnerTest, ScoresWhatItHadObservedBefore) {
  const double expected = score(context_, asked_.x, asked_.y).log_likelihood;
  for (const std::size_t threads : {1, 2}) {
    runtime::ContextLearner learner(Context(context_, {threads, 5}));
    std::future<Score> score = learner.start_score(asked_.x, asked_.y);
    learner.observe(asked_.x, asked_.y);
    const Score scored = score.get();
    EXPECT_EQ(scored.log_likelihood, expected) << threads;
    EXPECT_EQ(scored.points, 7U);
  }
}

TEST_P(LearnerTest, CopiesAndResetsAreIndependent) {
  runtime::ContextLearner learner(context_);
  const std::unique_ptr<runtime::Learner> copy = learner.copy();
  copy->observe(asked_.x, asked_.y);
  EXPECT_EQ(copy->size(), 32U);
  learner.reset();
  EXPECT_EQ(learner.size(), 0U);
  EXPECT_EQ(copy->size(), 32U);
}

INSTANTIATE_TEST_SUITE_P(Freedoms, LearnerTest, ::testing::Values("base", "cholesky_bound", "lowrank"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace cmanp::testing
