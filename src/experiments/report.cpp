#include "experiments/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/claims.hpp"
#include "experiments/numbers.hpp"
#include "experiments/results.hpp"
#include "files/quote.hpp"
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
  Cell cell{.seeds = numbers_for(column, seeds)};
  if (!cell.seeds.empty()) cell.mean = mean_of(cell.seeds);
  cell.deviation = deviation_of(cell.seeds);
  if (const auto found = row.paper.find(column.title); found != row.paper.end()) cell.paper = found->second;
  return cell;
}

// Columns whose field no line has that their command printed, or no line of their `where`: the plan is wrong there.
// What a command says that it does not know (null) is no mistake.
Words without_numbers(const Plan& plan, const FinishedJobs& seeds) {
  Words titles;
  for (const Column& column : plan.columns) {
    const Lines all{column.lines.command, Line::object()};
    const bool missing = std::ranges::any_of(seeds, [&](const FinishedJob& done) {
      const auto has_it = [&](const Line& line) { return has_field(line, column.field); };
      return !lines_of(all, done).empty() && std::ranges::none_of(lines_of(column.lines, done), has_it);
    });
    if (missing) titles.push_back(files::quote(column.title));
  }
  return titles;
}

// The best of each column, by its number as it is printed: a table should not tell apart what looks alike.
void mark_best(const Plan& plan, std::vector<TableRow>& rows) {
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    const Column& column = plan.columns[i];
    if (!column.higher_is_better) continue;
    const double unit = std::pow(10, column.digits), sign = *column.higher_is_better ? 1 : -1;
    const auto value = [&](const TableRow& row) { return sign * std::round(row.cells[i].mean * unit); };
    std::vector<TableRow*> known;
    for (TableRow& row : rows) {
      if (!row.cells[i].seeds.empty()) known.push_back(&row);
    }
    if (known.size() < 2) continue;  // of one row it would say nothing
    double best = value(*known.front());
    for (const TableRow* row : known) best = std::max(best, value(*row));
    for (TableRow* row : known) row->cells[i].best = value(*row) == best;
  }
}

// Of a row's jobs.
Words failures_of(const std::vector<Job>& jobs, const Row& row) {
  Words failures;
  const auto is_of_row = [&](const Job& job) { return job.row == row.name; };
  const bool one_seed = std::ranges::count_if(jobs, is_of_row) == 1;
  for (const Job& job : jobs) {
    if (!is_of_row(job)) continue;
    if (const auto failure = failure_of(job.folder)) {
      failures.push_back(fmt::format("{}failed: {}", one_seed ? "" : fmt::format("seed {} ", job.seed), *failure));
    }
  }
  return failures;
}

// "--minutes 60" is what it would take.
std::string why_not_run(const Job& job) {
  for (const Words& command : job.recorded) {
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "--minutes") return fmt::format("not run: {} minutes of a core a seed", command[i + 1]);
      if (command[i] == "--steps") {
        return fmt::format("not run: {} step{} a seed", command[i + 1], command[i + 1] == "1" ? "" : "s");
      }
    }
  }
  return job.after.empty() ? "not run" : fmt::format("not run: takes over the run of {}", job.after);
}

TableRow table_row(const Plan& plan, const Row& row, const FinishedJobs& seeds, const std::vector<Job>& jobs) {
  TableRow line;
  line.name = row.name;
  line.title = row.title;
  Words remarks = failures_of(jobs, row);
  for (const Column& column : plan.columns) line.cells.push_back(cell_of(seeds, column, row));
  if (seeds.empty()) {
    const auto first = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return job.row == row.name; });
    if (remarks.empty()) remarks.push_back(why_not_run(*first));
    if (!row.left_out.empty()) remarks.push_back(row.left_out);
    line.remark = fmt::format("{}", fmt::join(remarks, "; "));
    return line;
  }
  if (!row.trained.empty()) remarks.push_back(fmt::format("by the run of {}", row.trained));
  line.without = without_numbers(plan, seeds);
  if (!line.without.empty()) {
    remarks.push_back(fmt::format("no number for {} in what was printed", fmt::join(line.without, ", ")));
  }
  line.remark = fmt::format("{}", fmt::join(remarks, "; "));
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
    line.cells.back().mean = mean_of(numbers);
    line.cells.back().seeds = {line.cells.back().mean};
  }
  return any ? std::optional(std::move(line)) : std::nullopt;
}

// Over all that a command printed.
Curves curves_of(const Figure& figure, const FinishedJobs& done) {
  Curves result{figure.title, figure.x_label, figure.y_label, {}};
  for (const FinishedJob& one : done) {
    for (const Line& line : lines_of(figure.lines, one)) {
      const auto x = number_in(line, figure.x), y = number_in(line, figure.y);
      const std::optional<std::string> name = text_in(line, figure.series);
      if (x && y && name) add_to_curves(result.curves, *name, *x, *y);
    }
  }
  return result;
}

// Means over seeds.
plots::LinePlot plot_of(const Figure& figure, const Curves& curves) {
  plots::LinePlot plot{.title = figure.title,
                       .x_label = figure.x_label,
                       .y_label = figure.y_label,
                       .x_step = 0,
                       .log_x = figure.log_x,
                       .log_y = figure.log_y,
                       .key = true,
                       .dots = true,
                       .series = {}};
  for (const Curve& curve : curves.curves) {
    plots::Series& series = plot.series.emplace_back(plots::Series{curve.name, {}});
    for (const CurvePoint& point : curve.points) {
      series.points.x.push_back(point.x);
      series.points.y.push_back(mean_of(point.y));
    }
  }
  return plot;
}

std::vector<DrawnPicture> draw_figures(const Plan& plan, std::vector<Curves>& figures, const ReportOptions& options) {
  std::vector<DrawnPicture> drawn;
  if (!plots::can_draw()) return drawn;
  for (std::size_t i = 0; i < plan.figures.size(); ++i) {
    if (figures[i].curves.empty()) continue;
    const plots::LinePlot plot = plot_of(plan.figures[i], figures[i]);
    const std::string name = fmt::format("{}{}", plan.name, i == 0 ? "" : fmt::format("-{}", i + 1));
    const fs::path file = options.pictures / (name + ".png");
    plots::draw(file, {}, plots::script_of(plot));
    drawn.push_back({file, plot.title});
    if (!options.for_a_paper) continue;
    figures[i].pdf = options.pictures / (name + ".pdf");
    plots::draw(figures[i].pdf, {}, plots::script_of(plot));
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

// How many are done, and how many failed.
using Ended = std::pair<std::size_t, std::size_t>;

Ended ended_of(const Plan& plan, const std::vector<Job>& jobs, const std::string& version) {
  const auto failed = std::count_if(jobs.begin(), jobs.end(), [](const Job& job) { return failure_of(job.folder); });
  return {finished_of(plan, jobs, version).jobs.size(), static_cast<std::size_t>(failed)};
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
                  .figures = {},
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
  mark_best(plan, item.rows);
  for (const Limit& limit : plan.limits) {
    if (auto row = limit_row(plan, limit, done)) item.rows.push_back(std::move(*row));
  }
  fs::create_directories(options.pictures);
  for (const Figure& figure : plan.figures) item.figures.push_back(curves_of(figure, done));
  item.pictures = draw_figures(plan, item.figures, options);
  copy_pictures(plan, done, options.pictures, item);
  for (const Claim& claim : plan.claims) item.claims.push_back(checked(claim, plan, item.rows));
  return item;
}

}  // namespace

Report make_report(const std::vector<Plan>& plans, const std::vector<Choice>& folders, const ReportOptions& options) {
  Report report{.version = options.version, .items = {}};
  for (const Plan& plan : plans) {
    const Choice* fullest = nullptr;
    Ended most;
    for (const Choice& choice : folders) {
      const Ended ended = ended_of(plan, jobs_of(plan, choice), options.version);
      if (fullest != nullptr && ended <= most) continue;
      fullest = &choice;
      most = ended;
    }
    if (most > Ended() || options.all_items) report.items.push_back(report_on(plan, *fullest, options));
  }
  return report;
}

}  // namespace cmanp::experiments
