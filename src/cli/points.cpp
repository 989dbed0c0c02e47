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

void PointBatch::observe(Context& context, const std::string& name, const OnBadRow& on_bad_row) {
  if (lines_.empty()) return;
  const Emptied at_the_end{*this};  // whatever is thrown, nothing is observed twice
  try {
    context.observe(x_, y_);
  } catch (const Error&) {
    // A refused batch left nothing behind: row by row, to find whose fault it was.
    const Config& config = context.model().config();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      try {
        context.observe(std::span(x_).subspan(i * config.dim_x, config.dim_x),
                        std::span(y_).subspan(i * config.dim_y, config.dim_y));
      } catch (const Error& error) {
        on_bad_row(Error(fmt::format("{}:{}: {}", name, lines_[i], error.what())));
      }
    }
  }
}

void observe_files(Context& context, const std::vector<std::string>& paths) {
  const Config& config = context.model().config();
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
        batch.observe(context, reader.name(), rethrow);
        progress.update(bytes_before + reader.bytes_read(), points);
      }
    }
    batch.observe(context, reader.name(), rethrow);
    bytes_before += reader.bytes_read();
  }
}

tables::Table read_targets(const std::string& path, const Model& model, tables::Rows rows) {
  tables::Table table = tables::read_table(path, model.config().dim_x, model.config().dim_y, rows);
  try {
    runtime::count_points(model.weights(), table.x);
    if (rows == tables::Rows::points) runtime::count_points(model.weights(), table.x, table.y);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  return table;
}

Context make_context(const Model& model, const ContextOptions& options, const std::string& state,
                     const std::vector<std::string>& paths) {
  Context context = state.empty() ? Context(model, options) : Context::load(model, state, options);
  observe_files(context, paths);
  if (context.size() == 0) note("no observations: these are the answers of an empty context");
  return context;
}

}  // namespace cmanp::cli
