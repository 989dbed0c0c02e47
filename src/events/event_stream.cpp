#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmanp/events.hpp>
#include <utility>

#include "events/event_states.hpp"
#include "files/quote.hpp"
#include "files/utf8.hpp"

namespace cmanp {

EventModel::EventModel(std::shared_ptr<const events::EventModel> model) : model_(std::move(model)) {}

EventModel EventModel::load(const std::filesystem::path& path) { return EventModel(events::EventModel::load(path)); }

EventModel EventModel::from_bytes(std::span<const std::byte> bytes, const std::string& name) {
  return EventModel(events::EventModel::parse(files::Safetensors::parse(bytes, name)));
}

const std::string& EventModel::hash() const { return model_->hash; }
std::size_t EventModel::parameters() const { return model_->parameters; }
const std::vector<std::string>& EventModel::mark_names() const { return model_->domain.mark_names; }

std::optional<std::uint32_t> EventModel::mark_number(const std::string& name) const {
  const auto found = model_->mark_numbers.find(name);
  if (found == model_->mark_numbers.end()) return std::nullopt;
  return found->second;
}

std::optional<double> EventModel::clock_start() const { return model_->domain.from; }
double EventModel::longest_gap() const { return model_->domain.scale.longest_gap; }
std::size_t EventModel::memory() const { return model_->bytes(); }
std::size_t EventModel::memory_of_a_sequence() const { return events::EventEngine(model_).begin().bytes(); }

struct EventStream::Inside {
  explicit Inside(EventModel own_model) : model(std::move(own_model)), engine(model.model_) {}

  // The sequence's state; null where it is not known.
  const events::SequenceState* find(const std::string& sequence) const {
    const auto found = states.find(sequence);
    return found == states.end() ? nullptr : &found->second;
  }

  EventModel model;
  events::EventEngine engine;
  events::SequenceStates states;
};

EventStream::EventStream(EventModel model) : inside_(std::make_unique<Inside>(std::move(model))) {}
EventStream::EventStream(const EventStream& other) : EventStream(other.model()) {
  inside_->states = other.inside_->states;
}
EventStream& EventStream::operator=(const EventStream& other) {
  if (this != &other) *this = EventStream(other);
  return *this;
}
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;
EventStream::~EventStream() = default;

void EventStream::observe(const std::string& sequence, double time, std::uint32_t mark) {
  const auto known = inside_->states.find(sequence);
  if (known != inside_->states.end()) return inside_->engine.observe(known->second, time, mark);
  if (!files::is_utf8(sequence)) {  // else its state could not be saved
    throw Error(fmt::format("the name of sequence {} is no UTF-8", files::quote(sequence)), ErrorKind::argument);
  }
  events::SequenceState state = inside_->engine.begin();
  inside_->engine.observe(state, time, mark);
  inside_->states.emplace(sequence, std::move(state));
}

EventForecast EventStream::forecast(const std::string& sequence) {
  const events::SequenceState* known = inside_->find(sequence);
  return inside_->engine.forecast(known != nullptr ? *known : inside_->engine.begin());
}

std::size_t EventStream::size() const { return inside_->states.size(); }

std::vector<std::string> EventStream::sequences() const {
  std::vector<std::string> names;
  names.reserve(size());
  for (const auto& [name, state] : inside_->states) names.push_back(name);
  return names;
}

std::uint64_t EventStream::events(const std::string& sequence) const {
  const events::SequenceState* known = inside_->find(sequence);
  return known == nullptr ? 0 : known->events;
}

std::optional<double> EventStream::last_time(const std::string& sequence) const {
  const events::SequenceState* known = inside_->find(sequence);
  if (known == nullptr || known->events == 0) return std::nullopt;
  return known->last_time;
}

bool EventStream::forget(const std::string& sequence) { return inside_->states.erase(sequence) > 0; }

void EventStream::save(const std::filesystem::path& path) const {
  events::save_states(path, inside_->engine.model(), inside_->states);
}

EventStream EventStream::load(EventModel model, const std::filesystem::path& path) {
  EventStream stream(std::move(model));
  stream.inside_->states = events::load_states(path, stream.inside_->engine);
  return stream;
}

std::vector<std::byte> EventStream::to_bytes() const {
  return events::states_bytes(inside_->engine.model(), inside_->states);
}

EventStream EventStream::from_bytes(EventModel model, std::span<const std::byte> bytes, const std::string& name) {
  EventStream stream(std::move(model));
  stream.inside_->states = events::parse_states(files::Safetensors::parse(bytes, name), stream.inside_->engine);
  return stream;
}

const EventModel& EventStream::model() const { return inside_->model; }

}  // namespace cmanp
