// What verbs read: files of observations, and targets.
#pragma once

#include <cmanp/context.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/given.hpp"
#include "cli/watching.hpp"
#include "streams/observe_files.hpp"
#include "streams/point_batch.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {

// Observes files of any size in memory that does not grow, with a progress bar. Regular files have their headers
// checked before the first row of any is read. Says how many points were skipped, if any were.
void observe_files(const streams::Observe& observe, const Config& config, const std::vector<std::string>& paths,
                   const tables::Reading& reading = {});

void note_skipped(std::uint64_t points);

// A note where there was nothing to observe.
void note_if_empty(std::uint64_t points);

// From the data to what the network sees, before a frame is known: where one is to be found, any finite number will do.
Normalisation first_units(const Config& config, const Normalisation& model, const FrameFlags& flags);

// A whole table of targets, each one a point that fits the units.
tables::Table read_targets(const std::string& path, const Normalisation& units, tables::Rows rows,
                           const tables::Reading& reading = {});

// The same with a y each, and at least one of them.
tables::Table read_scored_targets(const std::string& path, const Normalisation& units,
                                  const tables::Reading& reading = {});

// A context: the state in a file, or an empty one, plus all that is in `paths`, watched. A model that works in frames,
// and has no state, gets the frame of those data, which is told.
Context open_context(const Model& model, ContextOptions options, const std::string& state,
                     const std::vector<std::string>& paths, const DataFlags& flags, Watching& watching);

// The same for predictions: a note where it is empty, and all warnings.
Context make_context(const Model& model, const ContextOptions& options, const std::string& state,
                     const std::vector<std::string>& paths, const DataFlags& flags, Watching& watching);

// A warning where some lie outside of the context's range.
void warn_of_targets(const Context& context, const std::vector<double>& x);

}  // namespace cmanp::cli
