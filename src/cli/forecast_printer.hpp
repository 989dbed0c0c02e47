// What a model says of a sequence's next event, as a row of CSV or a line of JSON.
#pragma once

#include <cstddef>
#include <string>

#include "cli/output.hpp"
#include "events/event_engine.hpp"

namespace cmanp::cli {

struct ForecastOptions {
  double interval = 0.9;
  std::size_t top = 1;
  double horizon = 0;  // 0: not asked for
  bool json = false;
};

class ForecastPrinter {
 public:
  explicit ForecastPrinter(const ForecastOptions& options) : options_(options) {}

  // `named`: whether rows name their sequence.
  void print_header(bool named, const events::EventModel& model);
  void print(const std::string& sequence, const events::SequenceState& state, const events::Forecast& forecast,
             const events::EventModel& model);
  void flush() { output_.flush(); }

 private:
  ForecastOptions options_;
  Output output_;
  bool named_ = false;
};

}  // namespace cmanp::cli
