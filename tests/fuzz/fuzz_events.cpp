// Any bytes are either refused with an Error that holds no raw bytes, or give sequences in the order of time that a
// model takes in, answers and keeps. The first byte chooses the format, whether marks are known before, and whether
// states go through a file.
#include <cmanp/error.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "events/event_states.hpp"
#include "events/read_events.hpp"
#include "events/time_scale.hpp"
#include "memory_file.hpp"
#include "tiny_event_model.hpp"

namespace {

using namespace cmanp;

void require(bool fine) {
  if (!fine) std::abort();
}

void check_data(const events::EventData& data) {
  require(data.events() > 0);
  for (const events::Sequence& sequence : data.sequences) {
    double before = 0;
    for (const double time : sequence.times) {
      require(std::isfinite(time) && time >= before);
      before = time;
    }
    require(sequence.marks.size() == (data.marked() ? sequence.times.size() : 0));
    for (const std::uint32_t mark : sequence.marks) require(mark < data.mark_names.size());
  }
}

// What is learnt from must be what a model's file may hold.
void check_scale(const events::EventData& data) {
  try {
    const events::TimeScale scale = events::fit_time_scale(data.sequences, {});
    require(std::abs(scale.log_mean) <= 600);
    for (const double value : {scale.log_std, scale.tie_gap, scale.span}) require(std::isnormal(value) && value > 0);
  } catch (const Error&) {
  }
}

void check_forecast(const events::Forecast& forecast) {
  for (const auto* values : {&forecast.gap.weights, &forecast.gap.means, &forecast.gap.deviations, &forecast.marks}) {
    for (const double value : *values) require(std::isfinite(value));
  }
  require(!std::isnan(forecast.gap.quantile(0.5)));
}

void stream(const events::EventData& data, bool save) {
  static events::EventEngine engine(testing::tiny_event_model());
  static const testing::TemporaryFolder folder;
  constexpr std::size_t kMost = 100;  // more are slow, and no news
  events::SequenceStates states;
  std::size_t events = 0;
  for (const events::Sequence& sequence : data.sequences) {
    events::SequenceState& state = states.emplace(sequence.name, engine.begin()).first->second;
    for (std::size_t i = 0; i < sequence.times.size(); ++i) {
      if (++events > kMost) return;
      engine.observe(state, sequence.times[i], sequence.marks.empty() ? 0 : sequence.marks[i] % 2);
    }
    check_forecast(engine.forecast(state));
  }
  if (!save) return;
  save_states(folder / "states", engine.model(), states);
  require(load_states(folder / "states", engine).size() == states.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static testing::MemoryFile file;
  if (size == 0) return 0;
  file.assign(bytes + 1, size - 1);
  events::ReadOptions options;
  const char* const formats[] = {"text", "jodie", "csv", ""};
  options.format = bytes[0] >= 128 ? "json" : formats[bytes[0] % 4];
  if (bytes[0] / 4 % 2 == 1) options.known_marks = {"a", "b"};
  events::EventData data;
  try {
    data = events::read_events({file.path()}, options);
  } catch (const Error& error) {
    for (const char* c = error.what(); *c != 0; ++c) require(*c < 0 || *c >= ' ');
    require(std::strlen(error.what()) < 1000);
    return 0;
  }
  check_data(data);
  check_scale(data);
  stream(data, bytes[0] / 8 % 2 == 1);
  return 0;
}
