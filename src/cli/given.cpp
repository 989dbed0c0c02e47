#include "cli/given.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/timestamp.hpp"
#include "cli/messages.hpp"
#include "cli/watching.hpp"
#include "runtime/framing.hpp"

namespace cmanp::cli {
namespace {

std::vector<Interval> frame_stretches(std::size_t columns) {
  return std::vector<Interval>(columns, {frame_low, frame_high});
}

// Nobody reads fractions of a second at the ends of an hour.
std::string place(double x, double width, bool times) {
  if (!times) return fmt::format("{:.6g}", x);
  return base::format_timestamp(width > 1000 ? std::round(x) : x);
}

}  // namespace

void add_frame_flags(CLI::App* verb, FrameFlags& flags) {
  add_intervals(verb, "--x-frame", flags.x,
                "The x that lie at -2 and 2 for the model (default: by the data, where it works so)");
  add_intervals(verb, "--y-frame", flags.y, "The same of y: where nearly all of them lie");
  verb->add_option_function<std::string>(
          "--seasons", [&flags](const std::string& what) { flags.seasons = what == "find"; },
          "What comes again in the data, such as the hours of a day: found with their frame and taken off, or not")
      ->check(CLI::IsMember({"find", "none"}))
      ->default_str("find");
  verb->add_option_function<std::string>(
          "--widths", [&flags](const std::string& what) { flags.widths = what == "checked"; },
          "Deviations with a frame that is found: corrected by what held-out observations say of them, or as the model "
          "has them")
      ->check(CLI::IsMember({"checked", "plain"}))
      ->default_str("checked");
}

void add_column_flags(CLI::App* verb, tables::Reading& reading) {
  const auto add = [verb](const char* flag, std::vector<std::string>& names, const char* help) {
    verb->add_option(flag, names, help)
        ->type_name("COLUMN")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add("--x", reading.x,
      "The column of x, by its name in the tables; others are passed over. May stand as often as the model has x "
      "(default: x, x1, x2, …, or the order of columns where there are no others)");
  add("--y", reading.y, "The same of y");
}

void add_data_flags(CLI::App* verb, DataFlags& flags) {
  add_column_flags(verb, flags.reading);
  add_frame_flags(verb, flags.frame);
  verb->add_option_function<std::string>(
          "--missing",
          [&flags](const std::string& what) {
            flags.reading.missing = what == "skip" ? tables::Missing::skip : tables::Missing::refuse;
          },
          "Rows of observations whose y is empty or NaN: refused, or skipped and counted")
      ->check(CLI::IsMember({"refuse", "skip"}))
      ->default_str("refuse");
  add_strict(verb, flags.strict);
}

std::optional<Normalisation> frame_by(const FrameFlags& flags, const Config& config,
                                      const std::optional<Normalisation>& found) {
  if (!flags.given()) return found;
  Normalisation frame = found.value_or(Normalisation::identity(config));
  if (!flags.x.empty()) {
    const Units units = units_between(flags.x, frame_stretches(config.dim_x), "--x-frame");
    frame.x_shift = units.shift;
    frame.x_scale = units.scale;
  }
  if (!flags.y.empty()) {
    const Units units = units_between(flags.y, frame_stretches(config.dim_y), "--y-frame");
    frame.y_shift = units.shift;
    frame.y_scale = units.scale;
    frame.seasons.clear();  // these y are whole
  }
  frame.widths.clear();  // they are of the frame that was found
  return frame;
}

void tell_frame(const Normalisation& frame, bool times) {
  std::string places;
  const Range ends = frame_ends(frame.x_shift, frame.x_scale);
  for (std::size_t c = 0; c < frame.x_shift.size(); ++c) {
    places += fmt::format("x{} {} to {} at -2 to 2, ", frame.x_shift.size() > 1 ? std::to_string(c + 1) : "",
                          place(ends.low[c], ends.high[c] - ends.low[c], times),
                          place(ends.high[c], ends.high[c] - ends.low[c], times));
  }
  for (std::size_t c = 0; c < frame.y_shift.size(); ++c) {
    places += fmt::format("y{} {:.6g} ± {:.3g} at 0 ± 1, ", frame.y_shift.size() > 1 ? std::to_string(c + 1) : "",
                          frame.y_shift[c], frame.y_scale[c]);
  }
  places.resize(places.size() - 2);
  for (const Season& season : frame.seasons) {
    places += fmt::format(" after a season of {:.6g}{}", season.period, times ? " s" : "");
    if (frame.y_shift.size() > 1) places += fmt::format(" of y{}", season.column + 1);
  }
  for (std::size_t c = 0; c < frame.widths.size(); ++c) {
    const double times_wider = std::sqrt(frame.widths[c].factor);
    if (std::abs(times_wider - 1) < 0.05) continue;  // not worth a word
    places += fmt::format(", deviations{} between the data times {:.2f}",
                          frame.y_shift.size() > 1 ? fmt::format(" of y{}", c + 1) : "", times_wider);
  }
  const std::string same = frame.seasons.empty() ? "the same by " + runtime::frame_flags(frame)
                                                 : std::string("--seasons none finds the frame without it");
  note(fmt::format("frame: {}{}; {}", places, times ? " (times as seconds since 1970)" : "", same));
}

}  // namespace cmanp::cli
