#include "cli/points.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <system_error>

#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "runtime/check_points.hpp"

namespace cmanp::cli {

namespace {

[[noreturn]] void rethrow(const Error& error) { throw error; }

struct Emptied {
  PointBatch& batch;
  ~Emptied() { batch.clear(); }
};

// Bytes in the regular files of `paths`, 0 where one is a pipe and there is no telling. Checks their headers by the
// way.
std::uint64_t check_headers(const std::vector<std::string>& paths, const Config& config) {
  std::uint64_t bytes = 0;
  bool known = true;
  for (const std::string& path : paths) {
    std::error_code no_size;
    if (std::filesystem::is_regular_file(path, no_size)) {
      tables::CsvReader(path, config.dim_x, config.dim_y, tables::Rows::points);
      bytes += std::filesystem::file_size(path);
    } else {
      known = false;
    }
  }
  return known ? bytes : 0;
}

}  // namespace

void PointBatch::add(const tables::Row& row) {
  x_.insert(x_.end(), row.x.begin(), row.x.end());
  y_.insert(y_.end(), row.y.begin(), row.y.end());
  lines_.push_back(row.line);
}

void PointBatch::clear() {
  x_.clear();
  y_.clear();
  lines_.clear();
}

void PointBatch::observe(const Observe& observe, const std::string& name, const OnBadRow& on_bad_row) {
  if (lines_.empty()) return;
  const Emptied at_the_end{*this};  // whatever is thrown, nothing is observed twice
  try {
    observe(x_, y_);
  } catch (const Error&) {
    // A refused batch left nothing behind: row by row, to find whose fault it was.
    const std::size_t dim_x = x_.size() / lines_.size(), dim_y = y_.size() / lines_.size();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      try {
        observe(std::span(x_).subspan(i * dim_x, dim_x), std::span(y_).subspan(i * dim_y, dim_y));
      } catch (const Error& error) {
        on_bad_row(Error(fmt::format("{}:{}: {}", name, lines_[i], error.what())));
      }
    }
  }
}

void observe_files(const Observe& observe, const Config& config, const std::vector<std::string>& paths) {
  ProgressBar progress("observing", check_headers(paths, config), "points");
  PointBatch batch;
  std::uint64_t bytes_before = 0;
  std::uint64_t points = 0;
  for (const std::string& path : paths) {
    tables::CsvReader reader(path, config.dim_x, config.dim_y, tables::Rows::points);
    tables::Row row;
    while (reader.next(row)) {
      batch.add(row);
      ++points;
      if (batch.full()) {
        batch.observe(observe, reader.name(), rethrow);
        progress.update(bytes_before + reader.bytes_read(), points);
      }
    }
    batch.observe(observe, reader.name(), rethrow);
    bytes_before += reader.bytes_read();
  }
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
                     const std::vector<std::string>& paths) {
  Context context = state.empty() ? Context(model, options) : Context::load(model, state, options);
  observe_files(into(context), model.config(), paths);
  note_if_empty(context.size());
  return context;
}

}  // namespace cmanp::cli
