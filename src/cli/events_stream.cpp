// cmanp events stream: events from standard input, what comes next on standard output, states that survive the process.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "cli/events.hpp"
#include "cli/exit.hpp"
#include "cli/forecast_printer.hpp"
#include "cli/options.hpp"
#include "cli/regular_saving.hpp"
#include "cli/rescue.hpp"
#include "cli/stop_signal.hpp"
#include "events/csv_row.hpp"
#include "events/event_states.hpp"
#include "files/quote.hpp"
#include "tables/csv_columns.hpp"
#include "tables/line_reader.hpp"

namespace cmanp::cli {
namespace {

struct EventStreamOptions {
  std::string model;
  SavingOptions saving;
  events::ReadOptions columns;
  ForecastOptions forecast;
  bool on_request = false;
  bool skip_bad = false;
};

class EventSession {
 public:
  explicit EventSession(const EventStreamOptions& options)
      : options_(options),
        engine_(events::EventModel::load(options.model)),
        printer_(options.forecast),
        saving_(
            options.saving, [this] { return events_; },
            [this] { save_states(options_.saving.path, engine_.model(), states_); }) {
    const std::string& path = options_.saving.path;
    if (path.empty()) return;
    check_can_write(path);
    if (std::filesystem::exists(path)) states_ = load_states(path, engine_);
  }

  void run() {
    rescue([this] { read_all(); },
           [this] {  // everything before what went wrong
             saving_.save_if_new();
             printer_.flush();
           });
    printer_.flush();
    saving_.save_at_the_end();
    if (bad_rows_ > 0) note(fmt::format("{} bad rows skipped", bad_rows_));
  }

 private:
  void read_all() {
    end_input_on_signal(STDIN_FILENO);
    tables::LineReader lines(STDIN_FILENO, "standard input");
    std::string_view line;
    if (!lines.next(line)) {
      if (stop_signal() != 0) return;
      throw Error("standard input: empty: the first line must name the columns (sequence, time, mark)");
    }
    columns_ = find_columns(line, options_.columns, where(lines));
    if (engine_.model().config.marks > 0 && !columns_.mark) {
      lines.fail(
          fmt::format("no column {}, but the model's events have marks", files::quote(options_.columns.mark_column)));
    }
    printer_.print_header(columns_.sequence.has_value(), engine_.model());
    while (true) {
      const bool whole = lines.buffered();
      if (!whole) {  // the pipe is drained: nothing may wait for what comes next
        printer_.flush();
        saving_.wait_for_input(STDIN_FILENO);
      }
      saving_.save_if_due();
      if (!lines.next(line)) return;
      if (!whole && stop_signal() != 0) return;  // the signal may have cut the row short
      try {
        take(line, where(lines));
      } catch (const Error& error) {
        if (!options_.skip_bad) throw;
        ++bad_rows_;
        fmt::print(stderr, "cmanp: warning: {}; row skipped\n", error.what());
      }
    }
  }

  static std::string where(const tables::LineReader& lines) { return fmt::format("{}:{}", lines.name(), lines.line()); }

  std::uint32_t mark_number(std::string_view mark, const std::string& place) const {
    const events::EventModel& model = engine_.model();
    if (model.config.marks == 0) return 0;
    const auto found = model.mark_numbers.find(std::string(mark));
    if (found != model.mark_numbers.end()) return found->second;
    throw Error(fmt::format("{}: mark {} is none of the {} that the model knows", place, files::quote(mark),
                            model.config.marks));
  }

  // A row without a time is a question.
  void take(std::string_view line, const std::string& place) {
    const events::EventRow row = parse_row(line, columns_, place);
    const std::string name(row.sequence);
    if (row.time.empty()) {
      const auto known = states_.find(name);
      if (known == states_.end()) {
        answer(name, engine_.begin());
      } else {
        answer(name, known->second);
      }
      return;
    }
    double time = 0;
    if (tables::parse_number(row.time, time) != std::errc()) {
      throw Error(fmt::format("{}: time {} is not a finite number", place, files::quote(row.time)));
    }
    const std::uint32_t mark = mark_number(row.mark, place);
    auto found = states_.find(name);
    const bool is_new = found == states_.end();
    if (is_new) found = states_.emplace(name, engine_.begin()).first;
    try {
      engine_.observe(found->second, time, mark);
    } catch (const Error& error) {
      if (is_new) states_.erase(found);
      throw Error(fmt::format("{}: {}", place, error.what()));
    }
    ++events_;
    if (!options_.on_request) answer(name, found->second);
  }

  void answer(const std::string& name, const events::SequenceState& state) {
    printer_.print(name, state, engine_.forecast(state), engine_.model());
  }

  const EventStreamOptions& options_;
  events::EventEngine engine_;
  ForecastPrinter printer_;
  events::SequenceStates states_;
  events::EventColumns columns_;
  std::uint64_t events_ = 0;  // taken in
  RegularSaving saving_;
  std::uint64_t bad_rows_ = 0;
};

void run_event_stream(const EventStreamOptions& options) {
  EventSession(options).run();
  if (stop_signal() != 0) throw Exit{128 + stop_signal()};
}

}  // namespace

void add_events_stream(CLI::App& events) {
  auto options = std::make_shared<EventStreamOptions>();
  CLI::App* verb = add_verb(
      events, "stream", "Reads events from standard input, one a row, and says after each what comes next",
      "printf 'sequence,time,mark\\nann,0,a\\nbob,0.5,b\\nann,1.5,a\\n' | cmanp events stream --model events.cmanp\n"
      "Times of the answers count from the sequence's last event on. A row without a time is a question.");
  add_model(verb, options->model)->required();
  add_saving(verb, options->saving, "the sequences' states");
  verb->add_flag("--on-request", options->on_request, "Answer only rows without a time");
  verb->add_option("--interval", options->forecast.interval, "Probability of the interval")
      ->check(CLI::Range(0.001, 0.999999))
      ->capture_default_str()
      ->type_name("P");
  verb->add_option("--top", options->forecast.top, "Likeliest marks to print")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--horizon", options->forecast.horizon, "Probability of an event within this time, too")
      ->check(CLI::PositiveNumber)
      ->type_name("TIME");
  verb->add_flag("--skip-bad", options->skip_bad, "Warn of a bad row and go on, instead of ending there");
  add_event_columns(verb, options->columns);
  add_json(verb, options->forecast.json);
  verb->callback([options] { run_event_stream(*options); });
}

}  // namespace cmanp::cli
