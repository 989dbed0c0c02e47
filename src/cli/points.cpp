#include "cli/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <filesystem>
#include <optional>

#include "base/frame_sample.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "runtime/check_points.hpp"
#include "runtime/check_widths.hpp"
#include "runtime/framing.hpp"
#include "streams/outside_warner.hpp"

namespace cmanp::cli {
namespace {

bool all_regular(const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code not_there;
    return std::filesystem::is_regular_file(path, not_there);
  });
}

struct Scan {
  std::optional<Normalisation> frame;  // none: no points
  bool times = false;
};

// The frame of files that are read again afterwards.
Scan scan(const std::vector<std::string>& paths, const Model& model, const DataFlags& flags) {
  const Config& config = model.config();
  base::FrameSample sample(config.dim_x, config.dim_y);
  Scan result;
  for (const std::string& path : paths) {
    tables::CsvReader reader(path, config.dim_x, config.dim_y, tables::Rows::points, flags.reading);
    for (tables::Row row; reader.next(row);) sample.add(row.x, row.y);
    result.times = result.times || reader.has_times();
  }
  if (!sample.empty()) result.frame = runtime::find_checked_frame(model, sample, finding(flags.frame));
  return result;
}

// A context for data whose frame may have to be found first.
class Opening {
 public:
  Opening(const Model& model, ContextOptions options, const FrameFlags& flags, Watching& watching)
      : model_(model), options_(std::move(options)), flags_(flags), watching_(watching) {}

  bool finds_frame() const { return model_.config().frames && (flags_.x.empty() || flags_.y.empty()); }

  void load(const std::string& state) {
    if (flags_.x.empty() != flags_.y.empty()) {
      throw Error("--x-frame and --y-frame go together where there is a state: it may have its frame already");
    }
    options_.frame = frame_by(flags_, model_.config(), {});
    began_with(Context::load(model_, state, options_));
  }

  void begin(const std::optional<Normalisation>& found, bool times) {
    options_.frame = frame_by(flags_, model_.config(), found);
    if (options_.frame) tell_frame(*options_.frame, times);
    began_with(Context(model_, options_));
  }

  void observe(std::span<const double> x, std::span<const double> y) {
    if (!context_) {
      const bool find = finds_frame();
      begin(find ? std::optional(runtime::find_checked_frame(model_, x, y, finding(flags_))) : std::nullopt, false);
    }
    context_->observe(x, y);
    outside_->points(x);
  }

  Context take() {
    if (!context_) begin({}, false);
    return std::move(*context_);
  }

 private:
  void began_with(Context context) {
    context_.emplace(std::move(context));
    outside_.emplace(context_->range(), model_.config().dim_x, warn);
    if (context_->frame()) watching_.set_units(runtime::through_frame(*context_->frame(), model_.normalisation()));
  }

  const Model& model_;
  ContextOptions options_;
  const FrameFlags& flags_;
  Watching& watching_;
  std::optional<Context> context_;
  std::optional<streams::OutsideWarner> outside_;
};

}  // namespace

void observe_files(const streams::Observe& observe, const Config& config, const std::vector<std::string>& paths,
                   const tables::Reading& reading) {
  std::optional<ProgressBar> progress;
  const streams::FilesRead read = streams::observe_files(
      observe, config, paths,
      [&](std::uint64_t bytes, std::uint64_t all_bytes, std::uint64_t points) {
        if (!progress) progress.emplace("observing", all_bytes, "points");
        progress->update(bytes, points);
      },
      reading);
  note_skipped(read.skipped);
}

void note_skipped(std::uint64_t points) {
  if (points > 0) note(fmt::format("{} points without a y skipped", points));
}

void note_if_empty(std::uint64_t points) {
  if (points == 0) note("no observations: these are the answers of an empty context");
}

Normalisation first_units(const Config& config, const Normalisation& model, const FrameFlags& flags) {
  return config.frames || flags.given() ? runtime::boundless(config) : model;
}

tables::Table read_targets(const std::string& path, const Normalisation& units, tables::Rows rows,
                           const tables::Reading& reading) {
  tables::Table table = tables::read_table(path, units.x_shift.size(), units.y_shift.size(), rows, reading);
  try {
    runtime::count_points(units, table.x);
    if (rows == tables::Rows::points) runtime::count_points(units, table.x, table.y);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  note_skipped(table.skipped);
  return table;
}

tables::Table read_scored_targets(const std::string& path, const Normalisation& units, const tables::Reading& reading) {
  tables::Table targets = read_targets(path, units, tables::Rows::points, reading);
  if (targets.rows == 0) throw Error(path + ": no targets to score");
  return targets;
}

Context open_context(const Model& model, ContextOptions options, const std::string& state,
                     const std::vector<std::string>& paths, const DataFlags& flags, Watching& watching) {
  Opening opening(model, std::move(options), flags.frame, watching);
  if (!state.empty()) {
    opening.load(state);
  } else if (opening.finds_frame() && all_regular(paths)) {
    const Scan found = scan(paths, model, flags);
    if (found.frame) opening.begin(found.frame, found.times);
  }
  const auto observe = [&](std::span<const double> x, std::span<const double> y) { opening.observe(x, y); };
  observe_files(watching.over(observe), model.config(), paths, flags.reading);
  return opening.take();
}

Context make_context(const Model& model, const ContextOptions& options, const std::string& state,
                     const std::vector<std::string>& paths, const DataFlags& flags, Watching& watching) {
  Context context = open_context(model, options, state, paths, flags, watching);
  note_if_empty(context.size());
  watching.finish();
  return context;
}

void warn_of_targets(const Context& context, const std::vector<double>& x) {
  streams::OutsideWarner(context.range(), context.model().config().dim_x, warn).targets(x);
}

}  // namespace cmanp::cli
