// How data that a verb is given are to be understood: their frame, what is missing in them, and what becomes of those
// that the model does not know.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/model.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/intervals.hpp"
#include "runtime/check_widths.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {

struct FrameFlags {
  std::vector<Interval> x, y;
  bool seasons = true;  // are found
  bool widths = true;   // are checked

  bool given() const { return !x.empty() || !y.empty(); }
};

struct DataFlags {
  FrameFlags frame;
  tables::Reading reading;
  bool strict = false;
};

void add_frame_flags(CLI::App* verb, FrameFlags& flags);
// --x and --y.
void add_column_flags(CLI::App* verb, tables::Reading& reading);
// All of these, --missing and --strict.
void add_data_flags(CLI::App* verb, DataFlags& flags);

// `found`, or no frame, under what the flags say. None where there is neither.
std::optional<Normalisation> frame_by(const FrameFlags& flags, const Config& config,
                                      const std::optional<Normalisation>& found);

inline runtime::Finding finding(const FrameFlags& flags) { return {flags.seasons, flags.widths}; }

// One line on standard error: which x and y lie where, and the flags that say the same. `times`: x are seconds.
void tell_frame(const Normalisation& frame, bool times);

}  // namespace cmanp::cli
