// Events of many sequences, one a row, and what comes next in each; their states are kept in one file.
#pragma once

#include <cmanp/events.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/csv_row.hpp"
#include "streams/line_session.hpp"

namespace cmanp::streams {

struct EventAnswer {
  std::string sequence;
  std::uint64_t events = 0;  // of the sequence so far
  EventForecast forecast;
};

struct EventSessionOptions {
  events::ReadOptions columns = {};
  bool on_request = false;  // answers only rows without a time, not every event
};

class EventSession : public LineSession {
 public:
  // Told, by the first line, whether rows name their sequence; then of each answer.
  struct Answers {
    std::function<void(bool named)> begin;
    std::function<void(const EventAnswer&)> give;
  };

  // Takes up the states where their file is there.
  EventSession(EventModel model, EventSessionOptions event_options, SessionOptions options, Answers answers);

  const EventStream& sequences() const { return sequences_; }

 private:
  static constexpr std::size_t kMostHeldBack = 256;

  void take_header(std::string_view line, std::uint64_t number) override;
  void take_row(std::string_view line, std::uint64_t number) override;
  void settle_rows() override;
  void fail_without_header() const override;

  std::string place(std::uint64_t number) const;
  std::uint32_t mark_number(std::string_view mark) const;
  void observe(const std::string& sequence, double time, std::string_view mark, std::uint64_t number);
  void answer(const std::string& sequence);

  EventSessionOptions event_options_;
  Answers answers_;
  EventStream sequences_;
  std::uint64_t observed_ = 0;  // events
  events::EventColumns columns_;
  std::vector<EventAnswer> held_back_;  // until what they rest on is saved, where that is asked for
};

}  // namespace cmanp::streams
