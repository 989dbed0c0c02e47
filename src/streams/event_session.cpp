#include "streams/event_session.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "files/quote.hpp"

namespace cmanp::streams {

EventSession::EventSession(EventModel model, EventSessionOptions event_options, SessionOptions session_options,
                           Answers answers)
    : LineSession(std::move(session_options)),
      event_options_(std::move(event_options)),
      answers_(std::move(answers)),
      sequences_(std::move(model)) {
  lock_state();
  const std::filesystem::path& state = options().saving.path;
  if (!state.empty() && std::filesystem::exists(state)) sequences_ = EventStream::load(sequences_.model(), state);
  save_by([this] { return observed_; }, [this] { sequences_.save(options().saving.path); });
}

std::string EventSession::place(std::uint64_t number) const { return fmt::format("{}:{}", options().source, number); }

void EventSession::fail_without_header() const {
  throw Error(fmt::format("{}: empty: the first line must name the columns (sequence, time, mark)", options().source));
}

void EventSession::take_header(std::string_view line, std::uint64_t number) {
  columns_ = find_columns(line, event_options_.columns, place(number));
  for (const std::string& remark : columns_.remarks) options().warn(remark);
  if (!sequences_.model().mark_names().empty() && !columns_.mark) {
    throw Error(fmt::format("{}: no column {}, but the model's events have marks", place(number),
                            files::quote(event_options_.columns.mark_column)));
  }
  answers_.begin(columns_.sequence.has_value());
}

// A row without a time is a question.
void EventSession::take_row(std::string_view line, std::uint64_t number) {
  std::string sequence;
  bool asked = !event_options_.on_request;
  try {
    const events::EventRow row = parse_row(line, columns_, place(number));
    sequence = row.sequence;
    if (row.time.empty()) {
      asked = true;
    } else {
      observe(sequence, parse_event_time(row.time, columns_, place(number)).time, row.mark, number);
    }
  } catch (const Error& error) {
    return refuse(error);
  }
  if (asked && answering()) answer(sequence);
}

void EventSession::observe(const std::string& sequence, double time, std::string_view mark, std::uint64_t number) {
  try {
    sequences_.observe(sequence, time, mark_number(mark));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", place(number), error.what()));
  }
  ++observed_;
}

std::uint32_t EventSession::mark_number(std::string_view mark) const {
  const EventModel& model = sequences_.model();
  if (model.mark_names().empty()) return 0;
  const std::optional<std::uint32_t> found = model.mark_number(std::string(mark));
  if (found) return *found;
  throw Error(
      fmt::format("mark {} is none of the {} that the model knows", files::quote(mark), model.mark_names().size()));
}

void EventSession::answer(const std::string& sequence) {
  held_back_.push_back({sequence, sequences_.events(sequence), sequences_.forecast(sequence)});
  if (held_back_.size() >= kMostHeldBack) settle_rows();
}

void EventSession::settle_rows() {
  if (held_back_.empty()) return;
  saver().before_answers();
  for (const EventAnswer& one : std::exchange(held_back_, {})) answers_.give(one);
}

}  // namespace cmanp::streams
