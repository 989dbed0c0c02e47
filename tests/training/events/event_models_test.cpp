#include "training/events/event_models.hpp"

#include <gtest/gtest.h>

#include "events/event_engine.hpp"
#include "events/mixture.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "training/events/evaluate.hpp"
#include "training/events/event_fixture.hpp"
#include "training/events/event_run.hpp"

namespace cmanp::training::events {
namespace {

using namespace cmanp::testing;

const Window kWindow{0.0, 40.0};

// A batch of sequences of different lengths: the shorter ones are padded.
std::vector<Sequence> small_sequences() { return {small_sequence(9), small_sequence(4, 1), small_sequence(12, 2)}; }

std::vector<const Sequence*> pointers_to(const std::vector<Sequence>& sequences) {
  std::vector<const Sequence*> all;
  for (const Sequence& sequence : sequences) all.push_back(&sequence);
  return all;
}

Answers answers_after(EventNetwork& network, const Sequence& sequence, std::size_t events, const EventDomain& domain) {
  Sequence prefix = sequence;
  prefix.times.resize(events);
  prefix.marks.resize(events);
  const EventBatch batch = make_batch({&prefix}, domain, kWindow, network.shape().recent_marks);
  return network.forward(batch, torch::tensor({static_cast<std::int64_t>(events)}));
}

TEST(EventModels, EveryPrefixIsAnsweredAsIfItWereAll) {
  const torch::NoGradGuard no_grad;
  const EventDomain domain = small_domain();
  const std::vector<Sequence> sequences = small_sequences();
  for (const char* name : {"cmhp", "thp", "gru"}) {
    const auto network = make_network(name, small_shape(), 3);
    network->eval();
    const EventBatch batch = make_batch(pointers_to(sequences), domain, kWindow, small_shape().recent_marks);
    const Answers all = network->forward(batch, torch::cat({batch.rows, batch.last_rows}));
    std::int64_t row = 0;
    for (const Sequence& sequence : sequences) {
      for (std::size_t events = 0; events < sequence.times.size(); ++events, ++row) {
        const Answers alone = answers_after(*network, sequence, events, domain);
        EXPECT_TRUE(torch::allclose(all.mixture[row], alone.mixture[0], 1e-4, 1e-5)) << name << " after " << events;
        EXPECT_TRUE(torch::allclose(all.marks[row], alone.marks[0], 1e-4, 1e-5)) << name << " after " << events;
        EXPECT_TRUE(torch::allclose(all.again[row], alone.again[0], 1e-4, 1e-5)) << name << " after " << events;
        EXPECT_TRUE(torch::equal(all.recent[row], alone.recent[0])) << name << " after " << events;
      }
    }
  }
}

TEST(EventModels, TheLikelihoodIsTheLeanHalfs) {
  torch::manual_seed(2);
  const torch::Tensor raw = torch::randn({5, 12}, torch::kFloat64) * 2;
  const torch::Tensor gaps = torch::randn({5}, torch::kFloat64);
  const torch::Tensor density = mixture_log_density(raw, gaps), survival = mixture_log_survival(raw, gaps);
  const double log_mean = 0.7, log_std = 1.9;
  for (std::int64_t i = 0; i < 5; ++i) {
    const double* row = raw.data_ptr<double>() + 12 * i;
    const auto mixture = cmanp::events::make_mixture({row, row + 12}, log_mean, log_std);
    const double log_gap = log_mean + log_std * gaps[i].item<double>(), gap = std::exp(log_gap);
    EXPECT_NEAR(density[i].item<double>() - std::log(log_std) - log_gap, mixture.log_density(gap), 1e-10);
    EXPECT_NEAR(survival[i].item<double>(), mixture.log_survival(gap), 1e-10);
  }
}

TEST(EventModels, BothWaysToEvaluateAgree) {
  const EventDomain domain = small_domain();
  const std::vector<Sequence> sequences = small_sequences();
  for (const Window& window : {kWindow, Window{}}) {
    const auto network = make_network("cmhp", small_shape(), 3);
    const auto metrics = evaluate(*network, sequences, domain, window);
    EXPECT_EQ(metrics.events, window.from ? 25 : 22);
    EXPECT_NEAR(metrics.nll, evaluate_nll(*network, sequences, domain, window).value(), 1e-5);
  }
}

// What is exported answers a stream as the network answers the whole history.
void expect_same_in_stream(const NetworkShape& shape, const EventDomain& domain, const Sequence& sequence) {
  const torch::NoGradGuard no_grad;
  TemporaryFolder folder;
  TrainedEvents trained;
  trained.network = make_network("cmhp", shape, 5);
  trained.network->eval();
  trained.domain = domain;
  export_events(folder / "model", trained, "{}");
  cmanp::events::EventEngine engine(cmanp::events::EventModel::load(folder / "model"));
  cmanp::events::SequenceState state = engine.begin();
  const EventBatch batch = make_batch({&sequence}, domain, {domain.from, {}}, shape.recent_marks);
  const auto tokens = static_cast<std::int64_t>(sequence.times.size()) + 1;
  const Answers answers = trained.network->forward(batch, torch::arange(tokens));
  const torch::Tensor marks =
      answers.marks.defined() ? mark_log_probabilities(answers).to(torch::kFloat64).exp() : torch::Tensor();
  for (std::int64_t i = 0; i < tokens; ++i) {
    const cmanp::events::Forecast forecast = engine.forecast(state);
    const torch::Tensor raw = answers.mixture[i].to(torch::kFloat64).contiguous();
    const double* from = raw.data_ptr<double>();
    const auto expected =
        cmanp::events::make_mixture({from, from + raw.numel()}, domain.scale.log_mean, domain.scale.log_std);
    for (const double share : {0.05, 0.5, 0.95}) {
      EXPECT_NEAR(forecast.gap.quantile(share) / expected.quantile(share), 1, 1e-5) << "after " << i;
    }
    EXPECT_NEAR(forecast.gap.cdf(1), expected.cdf(1), 1e-5) << "after " << i;
    for (std::size_t m = 0; m < forecast.marks.size(); ++m) {
      EXPECT_NEAR(forecast.marks[m], marks[i][static_cast<std::int64_t>(m)].item<double>(), 1e-5) << "after " << i;
    }
    if (i + 1 < tokens) {
      const auto at = static_cast<std::size_t>(i);
      engine.observe(state, sequence.times[at], sequence.marks.empty() ? 0 : sequence.marks[at]);
    }
  }
}

TEST(EventModels, AStreamAnswersAsTheWholeHistory) {
  const Sequence sequence = small_sequence(300);
  expect_same_in_stream(small_shape(), small_domain(), sequence);
  NetworkShape usual;  // the size that is trained
  usual.marks = 3;
  expect_same_in_stream(usual, small_domain(), sequence);
}

TEST(EventModels, AStreamAnswersAsTheWholeHistoryWithEveryOption) {
  Sequence sequence = small_sequence(40);
  for (const auto& option :
       {&NetworkShape::decay, &NetworkShape::last_token, &NetworkShape::previous_mark, &NetworkShape::normalisers}) {
    NetworkShape shape = small_shape();
    shape.*option = false;
    expect_same_in_stream(shape, small_domain(), sequence);
  }
  NetworkShape forgetful = small_shape();
  forgetful.recent_marks = 0;
  expect_same_in_stream(forgetful, small_domain(), sequence);
  EventDomain own_clock = small_domain(false);
  own_clock.from.reset();
  sequence.marks.clear();
  expect_same_in_stream(small_shape(false), own_clock, sequence);
}

TEST(EventModels, MarksThatComeAgainAreOneDistribution) {
  const torch::NoGradGuard no_grad;
  const auto network = make_network("thp", small_shape(), 4);
  const std::vector<Sequence> sequences = small_sequences();
  const EventBatch batch = make_batch(pointers_to(sequences), small_domain(), kWindow, small_shape().recent_marks);
  const Answers answers = network->forward(batch, batch.rows);
  const torch::Tensor all = mark_log_probabilities(answers);
  EXPECT_TRUE(torch::allclose(all.exp().sum(1), torch::ones({all.size(0)})));
  EXPECT_TRUE(torch::allclose(log_probability_of(answers, batch.next_marks),
                              all.gather(1, batch.next_marks.unsqueeze(1)).squeeze(1), 1e-5, 1e-5));
  const Sequence three{"", {1, 2, 3}, {0, 0, 2}, 0};
  const EventBatch small = make_batch({&three}, small_domain(), kWindow, 2);
  EXPECT_TRUE(torch::equal(small.recent, torch::tensor({-1, -1, 0, -1, 0, -1, 2, 0}).reshape({4, 2})));
  EXPECT_TRUE(torch::equal(small.places, torch::tensor({{2, 2, 0, 2}})));
}

TEST(EventModels, ThpGoesOnFromItsPast) {
  const torch::NoGradGuard no_grad;
  NetworkShape shape = small_shape();
  Thp thp(shape);
  torch::manual_seed(4);
  for (torch::Tensor& parameter : thp.parameters()) parameter.normal_(0, 0.3);
  const torch::Tensor tokens = torch::randn({1, 6, shape.d_model});
  const torch::Tensor visible = torch::arange(1, 7, torch::kInt64);
  const torch::Tensor all = thp.encoder().forward(tokens, visible);
  std::vector<Thp::Past> past;
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(torch::allclose(thp.step(tokens.narrow(1, i, 1), past)[0][0], all[0][i], 1e-4, 1e-5)) << i;
  }
}

TEST(EventModels, SequencesOfOneEventAskNothing) {
  const Sequence one = small_sequence(1);
  const auto network = make_network("cmhp", small_shape(), 1);
  const EventBatch batch = make_batch({&one}, small_domain(), {}, small_shape().recent_marks);
  EXPECT_EQ(batch.rows.numel(), 0);
  EXPECT_FALSE(event_loss(*network, batch, torch::arange(0)).defined());
  const EventBatch watched =
      make_batch({&one}, small_domain(), {{}, 9.0}, small_shape().recent_marks);  // but nothing came for long
  EXPECT_TRUE(event_loss(*network, watched, torch::arange(0)).defined());
}

TEST(EventModels, UnknownNamesAreNothingElse) {
  using cmanp::testing::error_message;
  EXPECT_EQ(error_message([] { make_network("nosuch", {}, 0); }),
            "unknown model of events 'nosuch'; there are cmhp, thp, gru");
  EXPECT_EQ(error_message([] {
              parse_event_settings({{"data", "d"}, {"model", "hawkes"}}, "");
            }),
            "hawkes is not trained but fitted, by `cmanp events baselines`; models to train are cmhp, thp, gru");
}

}  // namespace
}  // namespace cmanp::training::events
