// What verbs read: files of observations, and targets.
#pragma once

#include <cmanp/context.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/watching.hpp"
#include "streams/point_batch.hpp"
#include "tables/csv.hpp"

namespace cmanp::cli {

// Observes files of any size in memory that does not grow, with a progress bar. Regular files have their headers
// checked before the first row of any is read.
void observe_files(const streams::Observe& observe, const Config& config, const std::vector<std::string>& paths);

// A note where there was nothing to observe.
void note_if_empty(std::uint64_t points);

// A whole table of targets, each one a point that the model can take.
tables::Table read_targets(const std::string& path, const Normalisation& normalisation, tables::Rows rows);

// The same with a y each, and at least one of them.
tables::Table read_scored_targets(const std::string& path, const Normalisation& normalisation);

// A context for predictions: the state in a file, or an empty one, plus all that is in `paths`, watched.
Context make_context(const Model& model, const ContextOptions& options, const std::string& state,
                     const std::vector<std::string>& paths, Watching& watching);

// A warning where some lie outside of the context's range.
void warn_of_targets(const Context& context, const std::vector<double>& x);

}  // namespace cmanp::cli
