// Any bytes are either refused with an Error or give a model of events, or states of one, that go on observing and
// answering.
#include <cmanp/error.hpp>
#include <cstdint>

#include "events/event_states.hpp"
#include "tiny_event_model.hpp"

namespace {

using namespace cmanp;

void go_on(events::EventEngine& engine, events::SequenceState& state) {
  engine.forecast(state);
  for (const double after : {0.0, 0.5}) engine.observe(state, state.last_time + after, 0);
  engine.forecast(state);
}

void try_model(const files::Safetensors& file) {
  const auto model = events::EventModel::parse(file);
  if (model->bytes() > (std::size_t{64} << 20)) return;  // honest and large: slow, and no news
  events::EventEngine engine(model);
  events::SequenceState state = engine.begin();
  go_on(engine, state);
}

void try_states(const files::Safetensors& file) {
  static events::EventEngine engine(testing::tiny_event_model());
  for (auto& [name, state] : parse_states(file, engine)) go_on(engine, state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  for (const auto attempt : {try_model, try_states}) {
    try {
      attempt(files::Safetensors::parse(std::as_bytes(std::span(bytes, size)), "fuzz"));
    } catch (const Error&) {
    }
  }
  try {
    // By themselves as well: a file whose tensors do not fit its configuration gets no further than this.
    const files::Safetensors file = files::Safetensors::parse(std::as_bytes(std::span(bytes, size)), "fuzz");
    events::parse_domain(file);
    expected_tensors(events::parse_cmhp(file));
  } catch (const Error&) {
  }
  return 0;
}
