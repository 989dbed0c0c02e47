#include "experiments/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <set>

#include "experiments/claims.hpp"
#include "experiments/numbers.hpp"
#include "experiments/results.hpp"
#include "plots/gnuplot.hpp"
#include "plots/line_plot.hpp"

namespace cmanp::experiments {
namespace {

namespace fs = std::filesystem;

struct FinishedJob {
  const Row* row;
  Job job;
  Result result;
};

using FinishedJobs = std::vector<FinishedJob>;

std::vector<Line> lines_of(const Lines& which, const FinishedJob& done) {
  return lines_of(which, *done.row, done.job, done.result);
}

std::vector<double> numbers_for(const Column& column, const FinishedJobs& jobs) {
  std::vector<double> numbers;
  for (const FinishedJob& done : jobs) {
    if (const auto number = number_for(column, lines_of(column.lines, done))) numbers.push_back(*number);
  }
  return numbers;
}

Cell cell_of(const FinishedJobs& seeds, const Column& column, const Row& row) {
  const std::vector<double> numbers = numbers_for(column, seeds);
  Cell cell;
  cell.seeds = numbers.size();
  if (!numbers.empty()) cell.mean = mean_of(numbers);
  cell.deviation = deviation_of(numbers);
  if (const auto found = row.paper.find(column.title); found != row.paper.end()) cell.paper = found->second;
  return cell;
}

// What failed says how; of what was not run, "--minutes 60" is what it would take.
std::string why_not(const Job& job) {
  if (const auto failure = failure_of(job.folder)) return fmt::format("failed: {}", *failure);
  for (const Words& command : job.recorded) {
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "--minutes") return fmt::format("not run: {} minutes of a core a seed", command[i + 1]);
      if (command[i] == "--steps") return fmt::format("not run: {} steps a seed", command[i + 1]);
    }
  }
  return job.after.empty() ? "not run" : fmt::format("not run: takes over the run of {}", job.after);
}

TableRow table_row(const Plan& plan, const Row& row, const FinishedJobs& seeds, const std::vector<Job>& jobs) {
  TableRow line;
  line.name = row.name;
  line.title = row.title;
  for (const Column& column : plan.columns) line.cells.push_back(cell_of(seeds, column, row));
  if (seeds.empty()) {
    const auto first = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return job.row == row.name; });
    line.remark = why_not(*first);
    if (!row.left_out.empty()) line.remark += "; " + row.left_out;
    return line;
  }
  if (!row.trained.empty()) line.remark = fmt::format("by the run of {}", row.trained);
  double minutes = 0;
  for (const FinishedJob& done : seeds) {
    minutes += done.result.processor_seconds / 60;
    line.megabytes = std::max(line.megabytes, done.result.megabytes);  // nothing is less than any number
  }
  line.processor_minutes = minutes / static_cast<double>(seeds.size());
  line.steps = field_anywhere(seeds.front().result, "step");
  return line;
}

// The mean over all jobs: those of a table have the same tasks. Nothing where no job has the field.
std::optional<TableRow> limit_row(const Plan& plan, const Limit& limit, const FinishedJobs& done) {
  TableRow line;
  line.title = limit.title;
  bool any = false;
  for (Column column : plan.columns) {
    column.field = limit.field;
    const std::vector<double> numbers = numbers_for(column, done);
    any = any || !numbers.empty();
    line.cells.emplace_back();
    if (numbers.empty()) continue;
    line.cells.back().seeds = 1;
    line.cells.back().mean = mean_of(numbers);
  }
  return any ? std::optional(std::move(line)) : std::nullopt;
}

// Curves over all that a command printed.
plots::LinePlot plot_of(const Figure& figure, const FinishedJobs& done) {
  plots::LinePlot plot{.title = figure.title,
                       .x_label = figure.x_label,
                       .y_label = figure.y_label,
                       .x_step = 0,
                       .log_x = figure.log_x,
                       .log_y = figure.log_y,
                       .key = true,
                       .dots = true,
                       .series = {}};
  for (const FinishedJob& one : done) {
    for (const Line& line : lines_of(figure.lines, one)) {
      const auto x = number_in(line, figure.x), y = number_in(line, figure.y);
      const std::optional<std::string> name = text_in(line, figure.series);
      if (!x || !y || !name) continue;
      auto series =
          std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& s) { return s.name == *name; });
      if (series == plot.series.end()) series = plot.series.insert(series, {*name, {}});
      series->points.x.push_back(*x);
      series->points.y.push_back(*y);
    }
  }
  return plot;
}

std::vector<DrawnPicture> draw_figures(const Plan& plan, const FinishedJobs& done, const fs::path& folder) {
  std::vector<DrawnPicture> drawn;
  if (!plots::can_draw()) return drawn;
  for (std::size_t i = 0; i < plan.figures.size(); ++i) {
    const plots::LinePlot plot = plot_of(plan.figures[i], done);
    if (plot.series.empty()) continue;
    const fs::path file = folder / fmt::format("{}{}.png", plan.name, i == 0 ? "" : fmt::format("-{}", i + 1));
    plots::draw(file, {}, plots::script_of(plot));
    drawn.push_back({file, plot.title});
  }
  return drawn;
}

// What jobs of the first seed drew themselves, added to the item's pictures.
void copy_pictures(const Plan& plan, const FinishedJobs& done, const fs::path& folder, ItemReport& item) {
  for (const FinishedJob& one : done) {
    if (one.job.seed != 0) continue;
    for (const Picture& picture : plan.pictures) {
      if (!fs::exists(one.job.folder / picture.file)) {
        ++item.pictures_elsewhere;
        continue;
      }
      const fs::path file = folder / fmt::format("{}-{}-{}", plan.name, one.row->name, picture.file);
      fs::copy_file(one.job.folder / picture.file, file, fs::copy_options::overwrite_existing);
      item.pictures.push_back({file, fmt::format("{}: {}", one.row->title, picture.title)});
    }
  }
}

std::string machines_of(const FinishedJobs& done) {
  std::set<std::string> names;
  for (const FinishedJob& one : done) {
    if (!one.result.machine.empty()) names.insert(one.result.machine);
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

std::string data_of(const FinishedJobs& done) {
  std::set<std::string> names;
  for (const FinishedJob& one : done) {
    for (const auto& [need, name] : one.result.data) names.insert(fmt::format("{} = {}", need, name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

struct Finished {
  FinishedJobs jobs;
  std::size_t of_other_plans = 0;  // numbers of other commands than the plan's are not the plan's
};

Finished finished_of(const Plan& plan, const std::vector<Job>& jobs, const std::string& version) {
  Finished finished;
  for (const Row& row : plan.rows) {
    for (const Job& job : jobs) {
      if (job.row != row.name || !is_finished(job.folder)) continue;
      const std::vector<std::string> other = what_differs(job, version);
      if (std::find(other.begin(), other.end(), "commands") != other.end()) {
        ++finished.of_other_plans;
      } else if (auto result = result_of(job.folder)) {
        finished.jobs.push_back({&row, job, std::move(*result)});
      }
    }
  }
  return finished;
}

ItemReport report_on(const Plan& plan, const Choice& choice, const ReportOptions& options) {
  ItemReport item{.plan = plan,
                  .choice = choice,
                  .machine = {},
                  .data = {},
                  .rows = {},
                  .finished = 0,
                  .jobs = 0,
                  .other_plans = 0,
                  .commands = {},
                  .pictures = {},
                  .pictures_elsewhere = 0,
                  .claims = {}};
  const std::vector<Job> jobs = jobs_of(plan, choice);
  const auto [done, of_other_plans] = finished_of(item.plan, jobs, options.version);
  item.jobs = jobs.size();
  item.finished = done.size();
  item.machine = machines_of(done);
  item.data = data_of(done);
  item.other_plans = of_other_plans;
  for (const Words& command : (done.empty() ? jobs.front() : done.front().job).recorded) {
    item.commands.push_back(fmt::format("cmanp {}", fmt::join(command, " ")));
  }
  for (const Row& row : plan.rows) {
    FinishedJobs seeds;
    std::copy_if(done.begin(), done.end(), std::back_inserter(seeds),
                 [&](const FinishedJob& one) { return one.row->name == row.name; });
    item.rows.push_back(table_row(plan, row, seeds, jobs));
  }
  for (const Limit& limit : plan.limits) {
    if (auto row = limit_row(plan, limit, done)) item.rows.push_back(std::move(*row));
  }
  fs::create_directories(options.pictures);
  item.pictures = draw_figures(plan, done, options.pictures);
  copy_pictures(plan, done, options.pictures, item);
  for (const Claim& claim : plan.claims) item.claims.push_back(checked(claim, plan, item.rows));
  return item;
}

}  // namespace

Report make_report(const std::vector<Plan>& plans, const std::vector<Choice>& folders, const ReportOptions& options) {
  Report report{.version = options.version, .items = {}};
  for (const Plan& plan : plans) {
    const Choice* fullest = nullptr;
    std::size_t most = 0;
    for (const Choice& choice : folders) {
      const std::size_t finished = finished_of(plan, jobs_of(plan, choice), options.version).jobs.size();
      if (fullest != nullptr && finished <= most) continue;
      fullest = &choice;
      most = finished;
    }
    if (most > 0 || options.all_items) report.items.push_back(report_on(plan, *fullest, options));
  }
  return report;
}

}  // namespace cmanp::experiments
