#include "cli/points.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "runtime/check_points.hpp"
#include "streams/observe_files.hpp"
#include "streams/outside_warner.hpp"

namespace cmanp::cli {

void observe_files(const streams::Observe& observe, const Config& config, const std::vector<std::string>& paths) {
  std::optional<ProgressBar> progress;
  streams::observe_files(observe, config, paths,
                         [&](std::uint64_t bytes, std::uint64_t all_bytes, std::uint64_t points) {
                           if (!progress) progress.emplace("observing", all_bytes, "points");
                           progress->update(bytes, points);
                         });
}

void note_if_empty(std::uint64_t points) {
  if (points == 0) note("no observations: these are the answers of an empty context");
}

tables::Table read_targets(const std::string& path, const Normalisation& normalisation, tables::Rows rows) {
  tables::Table table = tables::read_table(path, normalisation.x_shift.size(), normalisation.y_shift.size(), rows);
  try {
    runtime::count_points(normalisation, table.x);
    if (rows == tables::Rows::points) runtime::count_points(normalisation, table.x, table.y);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  return table;
}

tables::Table read_scored_targets(const std::string& path, const Normalisation& normalisation) {
  tables::Table targets = read_targets(path, normalisation, tables::Rows::points);
  if (targets.rows == 0) throw Error(path + ": no targets to score");
  return targets;
}

Context make_context(const Model& model, const ContextOptions& options, const std::string& state,
                     const std::vector<std::string>& paths, Watching& watching) {
  Context context = state.empty() ? Context(model, options) : Context::load(model, state, options);
  streams::OutsideWarner outside(context, warn);
  observe_files(watching.over(outside.into(context)), model.config(), paths);
  note_if_empty(context.size());
  return context;
}

void warn_of_targets(const Context& context, const std::vector<double>& x) {
  streams::OutsideWarner(context, warn).targets(x);
}

}  // namespace cmanp::cli
