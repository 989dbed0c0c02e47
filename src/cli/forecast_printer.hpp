// What a model says of a sequence's next event, as a row of CSV or a line of JSON.
#pragma once

#include <cmanp/events.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/output.hpp"

namespace cmanp::cli {

struct ForecastOptions {
  double interval = 0.9;
  std::size_t top = 1;
  double horizon = 0;  // 0: not asked for
  bool json = false;
};

class ForecastPrinter {
 public:
  ForecastPrinter(const ForecastOptions& options, const EventModel& model, Output& output)
      : options_(options), model_(model), output_(output) {}

  // `named`: whether rows name their sequence.
  void print_header(bool named);
  // `events` of the sequence so far, and what comes next.
  void print(const std::string& sequence, std::uint64_t events, const EventForecast& forecast);

 private:
  ForecastOptions options_;
  const EventModel& model_;
  Output& output_;
  bool named_ = false;
};

}  // namespace cmanp::cli
