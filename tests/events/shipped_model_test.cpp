// The event model that comes with the repository, on sequences that it has not seen.
#include <gtest/gtest.h>

#include <cmath>

#include "events/event_engine.hpp"
#include "events/simulate.hpp"

namespace cmanp::events {
namespace {

TEST(ShippedEventModel, PredictsCascadesNearlyAsWellAsTheirTruth) {
  EventEngine engine(EventModel::load(CMANP_SOURCE_DIR "/models/cascades.cmanp"));
  const Cascades process{.rate = 0.05, .marks = 4};  // what it was trained on
  ASSERT_EQ(engine.model().config.marks, process.marks);
  double nll = 0, truth = 0, events = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Sequence sequence = simulate(process, 99, i);
    SequenceState state = engine.begin();
    double excitation = 0;
    for (std::size_t k = 0; k < sequence.times.size(); ++k) {
      const double gap = sequence.times[k] - state.last_time;
      const Forecast forecast = engine.forecast(state);
      nll -= forecast.gap.log_density(gap);
      const std::uint32_t mark = engine.model().mark_numbers.at(std::to_string(sequence.marks[k]));
      EXPECT_GT(forecast.marks[mark], 0);
      // The process's own density of the gap: intensity now, none before.
      const double left = excitation * std::exp(-process.decay * gap);
      truth -= std::log(process.rate + left) - process.rate * gap - (excitation - left) / process.decay;
      excitation = left + process.jump * process.decay;
      engine.observe(state, sequence.times[k], mark);
      ++events;
    }
  }
  EXPECT_NEAR(nll / events, truth / events, 0.03);  // 1.194 and 1.186 where it was evaluated
}

}  // namespace
}  // namespace cmanp::events
