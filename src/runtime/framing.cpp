#include "runtime/framing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/find_seasons.hpp"
#include "base/finite.hpp"
#include "base/frame.hpp"
#include "base/held_level.hpp"
#include "runtime/check_season.hpp"

namespace cmanp::runtime {
namespace {

void check_columns(const std::vector<double>& shift, const std::vector<double>& scale, std::size_t columns,
                   const char* what) {
  if (shift.size() != columns || scale.size() != columns) {
    throw Error(fmt::format("the frame has {} columns of {}, and the model {}", shift.size(), what, columns),
                ErrorKind::argument);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    if (std::isfinite(shift[c]) && std::isfinite(scale[c]) && base::positive(scale[c])) continue;
    throw Error(fmt::format("the frame of {}{} has shift {} and scale {}: no finite numbers, or no width", what, c + 1,
                            shift[c], scale[c]),
                ErrorKind::argument);
  }
}

std::string stretches(const std::string& flag, const std::vector<double>& shift, const std::vector<double>& scale) {
  std::string text;
  const Range ends = frame_ends(shift, scale);
  for (std::size_t c = 0; c < shift.size(); ++c) text += fmt::format(" {} {}:{}", flag, ends.low[c], ends.high[c]);
  return text;
}

void place_ends(const Range& ends, std::vector<double>& shift, std::vector<double>& scale, const char* what) {
  if (ends.low.size() != ends.high.size()) {
    throw Error(
        fmt::format("the frame of {} has {} lower ends and {} upper ones", what, ends.low.size(), ends.high.size()),
        ErrorKind::argument);
  }
  for (std::size_t c = 0; c < ends.low.size(); ++c) {
    const double low = ends.low[c], high = ends.high[c];
    constexpr double kWidth = frame_high - frame_low;
    const double width = high / kWidth - low / kWidth;  // the difference may be beyond all numbers
    if (!std::isfinite(low) || !std::isfinite(high) || !base::positive(width)) {
      throw Error(
          fmt::format("the frame of {}{} is from {} to {}: two finite numbers, the first below the second, have "
                      "to be",
                      what, c + 1, low, high),
          ErrorKind::argument);
    }
    scale.push_back(width);
    shift.push_back(0.5 * low + 0.5 * high);
    // What lies at an end is not to be beyond it by a rounding.
    const double half = std::max(high - shift[c], shift[c] - low);
    if (half / scale[c] > frame_high) scale[c] = half / frame_high;
    while (half / scale[c] > frame_high) scale[c] = std::nextafter(scale[c], std::numeric_limits<double>::infinity());
  }
}

std::vector<double> scaled(std::span<const double> values, const std::vector<double>& shift,
                           const std::vector<double>& scale) {
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = (values[i] - shift[i % shift.size()]) / scale[i % scale.size()];
  }
  return result;
}

// Of rows of y at these x, as often as there are rows for each.
void add_seasons(std::span<const double> x, std::span<double> y, const Normalisation& frame, double times) {
  const std::size_t dim_x = frame.x_shift.size(), dim_y = frame.y_shift.size(), points = x.size() / dim_x;
  for (const Season& season : frame.seasons) {
    for (std::size_t i = 0; i < points; ++i) {
      const double value = times * season.at(x[i * dim_x]);
      for (std::size_t at = i * dim_y + season.column; at < y.size(); at += points * dim_y) y[at] += value;
    }
  }
}

double widened(double deviation, std::size_t column, const Normalisation& frame) {
  for (const Season& season : frame.seasons) {
    if (season.column == column) deviation *= season.widening;
  }
  return frame.widths.empty() ? deviation : frame.widths[column].of(deviation);
}

// Places within twenty units of the middle move by less than some millionths of a unit.
bool nearly_the_same(const std::vector<double>& shift, const std::vector<double>& scale,
                     const std::vector<double>& other_shift, const std::vector<double>& other_scale) {
  constexpr double kRounding = 1e-7;
  for (std::size_t c = 0; c < shift.size(); ++c) {
    if (!(std::abs(shift[c] - other_shift[c]) <= kRounding * scale[c])) return false;
    if (!(std::abs(scale[c] - other_scale[c]) <= kRounding * scale[c])) return false;
  }
  return true;
}

}  // namespace

std::vector<double> column(std::span<const double> values, std::size_t c, std::size_t width) {
  std::vector<double> result;
  result.reserve(values.size() / width);
  for (std::size_t i = c; i < values.size(); i += width) result.push_back(values[i]);
  return result;
}

void check_frame(const Normalisation& frame, const Config& config) {
  check_columns(frame.x_shift, frame.x_scale, config.dim_x, "x");
  check_columns(frame.y_shift, frame.y_scale, config.dim_y, "y");
  for (const Season& season : frame.seasons) {
    if (makes_sense(season, config.dim_y)) continue;
    throw Error(
        fmt::format("the frame has a season of period {} of y{} that makes no sense", season.period, season.column + 1),
        ErrorKind::argument);
  }
  if (!frame.widths.empty() && frame.widths.size() != config.dim_y) {
    throw Error(fmt::format("the frame has {} checks of widths, and the model {} y", frame.widths.size(), config.dim_y),
                ErrorKind::argument);
  }
  for (const WidthCheck& check : frame.widths) {
    if (makes_sense(check)) continue;
    throw Error(fmt::format("the frame has a check of widths that makes no sense: {} at {}", check.factor, check.level),
                ErrorKind::argument);
  }
}

// ((value - fs) / fc - ms) / mc = (value - (fs + fc ms)) / (fc mc)
Normalisation through_frame(const Normalisation& frame, const Normalisation& model) {
  Normalisation units = frame;
  units.seasons.clear();
  units.widths.clear();
  for (std::size_t c = 0; c < units.x_shift.size(); ++c) {
    units.x_shift[c] += frame.x_scale[c] * model.x_shift[c];
    units.x_scale[c] *= model.x_scale[c];
  }
  for (std::size_t c = 0; c < units.y_shift.size(); ++c) {
    units.y_shift[c] += frame.y_scale[c] * model.y_shift[c];
    units.y_scale[c] *= model.y_scale[c];
  }
  return units;
}

Normalisation find_frame(std::span<const double> x, std::span<const double> y, const Config& config, bool seasons,
                         bool levels) {
  base::FrameSample sample(config.dim_x, config.dim_y);
  for (std::size_t i = 0; i < x.size() / config.dim_x; ++i) {
    sample.add(x.subspan(i * config.dim_x, config.dim_x), y.subspan(i * config.dim_y, config.dim_y));
  }
  return find_frame(sample, config, seasons, levels);
}

Normalisation find_frame(const base::FrameSample& sample, const Config& config, bool seasons, bool levels) {
  Normalisation frame;
  const std::vector<double> x = sample.x();
  for (std::size_t c = 0; c < config.dim_x; ++c) {
    const base::Scale found = base::x_frame(column(x, c, config.dim_x));
    frame.x_shift.push_back(found.shift);
    frame.x_scale.push_back(found.scale);
  }
  for (std::size_t c = 0; c < config.dim_y; ++c) {
    std::vector<double> y = column(sample.y(), c, config.dim_y);
    if (seasons && config.dim_x == 1) {
      for (Season& season : base::find_seasons(std::span(x).first(y.size()), y)) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] -= season.at(x[i]);
        season.column = c;
        frame.seasons.push_back(std::move(season));
      }
    }
    base::Scale found = base::y_frame(y);
    if (levels && config.dim_x == 1) found = base::widened_for_levels(found, std::span(x).first(y.size()), y);
    frame.y_shift.push_back(found.shift);
    frame.y_scale.push_back(found.scale);
  }
  return frame;
}

std::vector<double> x_into_frame(std::span<const double> x, const Normalisation& frame) {
  return scaled(x, frame.x_shift, frame.x_scale);
}

std::vector<double> y_into_frame(std::span<const double> x, std::span<const double> y, const Normalisation& frame) {
  if (frame.seasons.empty()) return scaled(y, frame.y_shift, frame.y_scale);
  std::vector<double> rest(y.begin(), y.end());
  add_seasons(x, rest, frame, -1);
  return scaled(rest, frame.y_shift, frame.y_scale);
}

Range into_frame(const Range& range, const Normalisation& frame) {
  if (range.empty() || range.low.size() > frame.x_shift.size()) return range;  // who opens it refuses the latter
  return {x_into_frame(range.low, frame), x_into_frame(range.high, frame)};
}

Range out_of_frame(const Range& range, const Normalisation& frame) {
  Range raw = range;
  for (std::size_t c = 0; c < raw.low.size(); ++c) {
    raw.low[c] = range.low[c] * frame.x_scale[c] + frame.x_shift[c];
    raw.high[c] = range.high[c] * frame.x_scale[c] + frame.x_shift[c];
  }
  return raw;
}

void y_out_of_frame(std::span<const double> x, std::span<double> y, const Normalisation& frame) {
  const std::size_t width = frame.y_shift.size();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] * frame.y_scale[i % width] + frame.y_shift[i % width];
  add_seasons(x, y, frame, 1);
}

void widen(std::span<double> deviations, const Normalisation& frame) {
  const std::size_t width = frame.y_scale.size();
  for (std::size_t i = 0; i < deviations.size(); ++i) deviations[i] = widened(deviations[i], i % width, frame);
}

// Row by row, so that correlations stay as they are.
void widen_factor(std::span<double> scale_tril, std::size_t numbers, const Normalisation& frame) {
  if (frame.seasons.empty() && frame.widths.empty()) return;
  for (std::size_t i = 0; i < numbers; ++i) {
    const auto row = scale_tril.subspan(i * numbers, numbers);
    const double deviation = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    const double times = widened(deviation, i % frame.y_scale.size(), frame) / deviation;
    for (double& value : row) value *= times;
  }
}

void deviations_out_of_frame(std::span<double> deviations, const Normalisation& frame) {
  widen(deviations, frame);
  const std::size_t width = frame.y_scale.size();
  for (std::size_t i = 0; i < deviations.size(); ++i) deviations[i] *= frame.y_scale[i % width];
}

void factor_out_of_frame(std::span<double> scale_tril, std::size_t numbers, const Normalisation& frame) {
  widen_factor(scale_tril, numbers, frame);
  const std::size_t width = frame.y_scale.size();
  for (std::size_t i = 0; i < scale_tril.size(); ++i) scale_tril[i] *= frame.y_scale[i / numbers % width];
}

bool same_frame(const std::optional<Normalisation>& one, const std::optional<Normalisation>& other) {
  if (!one && !other) return true;
  return one && other && one->x_shift.size() == other->x_shift.size() && one->y_shift.size() == other->y_shift.size() &&
         one->seasons == other->seasons &&
         nearly_the_same(one->x_shift, one->x_scale, other->x_shift, other->x_scale) &&
         nearly_the_same(one->y_shift, one->y_scale, other->y_shift, other->y_scale);
}

void check_same_frame(const std::optional<Normalisation>& one, const std::optional<Normalisation>& other,
                      const std::string& what) {
  if (same_frame(one, other)) return;
  const auto flags = [](const std::optional<Normalisation>& frame) {
    if (!frame) return std::string("none");
    return frame_flags(*frame) + (frame->seasons.empty() ? "" : " after a season of its own");
  };
  throw Error(
      fmt::format("{} of different frames cannot be merged ({} and {}); make them all with the same flags, such "
                  "as {}",
                  what, flags(one), flags(other), frame_flags(one ? *one : *other)),
      ErrorKind::argument);
}

std::string frame_flags(const Normalisation& frame) {
  return (stretches("--x-frame", frame.x_shift, frame.x_scale) + stretches("--y-frame", frame.y_shift, frame.y_scale))
      .substr(1);
}

Normalisation boundless(const Config& config) {
  constexpr double kScale = 1e294;  // the largest number is some 1e14 of these
  Normalisation units = Normalisation::identity(config);
  units.x_scale.assign(config.dim_x, kScale);
  units.y_scale.assign(config.dim_y, kScale);
  return units;
}

}  // namespace cmanp::runtime

namespace cmanp {

Normalisation frame_between(const Range& x, const Range& y) {
  Normalisation frame;
  runtime::place_ends(x, frame.x_shift, frame.x_scale, "x");
  runtime::place_ends(y, frame.y_shift, frame.y_scale, "y");
  return frame;
}

}  // namespace cmanp
