// cmanp reproduce: the paper's tables and figures, each by one command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/exit.hpp"
#include "cli/installed_folders.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli_train/program.hpp"
#include "cli_train/reproduce_bar.hpp"
#include "cli_train/reproduce_checks.hpp"
#include "cli_train/reproduce_elsewhere.hpp"
#include "cli_train/stop_request.hpp"
#include "cli_train/verbs.hpp"
#include "experiments/exports.hpp"
#include "experiments/pages.hpp"
#include "experiments/results.hpp"
#include "experiments/run_jobs.hpp"
#include "files/atomic_file.hpp"
#include "files/json.hpp"

namespace cmanp::cli_train {
namespace {

namespace fs = std::filesystem;
using experiments::Choice;
using experiments::Equal;
using experiments::Job;
using experiments::Plan;
using nlohmann::ordered_json;

struct ReproduceOptions {
  std::vector<std::string> items, data, folders;
  std::string plans, budget = "smoke", equal = "steps", out, jobs_as, page;
  std::size_t jobs = cli::default_threads();
  bool json = false;
};

std::vector<Plan> all_plans(const std::string& folder) {
  if (!folder.empty()) return experiments::read_plans(folder);
  const std::vector<fs::path> places = cli::installed_folders("experiments");
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_directory(place, ignored)) return experiments::read_plans(place);
  }
  throw Error("no plans are installed; name their folder by --plans");
}

Equal equal_of(const ReproduceOptions& options) { return options.equal == "time" ? Equal::time : Equal::steps; }

Choice choice_of(const ReproduceOptions& options) {
  Choice choice{options.budget, equal_of(options), {}, fs::absolute(options.out)};
  for (const std::string& pair : options.data) {
    const std::size_t sign = pair.find('=');
    if (sign == 0 || sign == std::string::npos) throw CLI::ValidationError("--data", "is NAME=FOLDER, not " + pair);
    choice.data[pair.substr(0, sign)] = pair.substr(sign + 1);
  }
  return choice;
}

// What a folder was made with: one budget, so that the numbers of a table stand beside each other by right.
ordered_json record_of(const Choice& choice) { return {{"budget", choice.budget}, {"equal", to_text(choice.equal)}}; }

fs::path record_file(const fs::path& folder) { return folder / "reproduce.json"; }

void keep_record(const Choice& choice) {
  const fs::path path = record_file(choice.out);
  std::error_code problem;
  fs::create_directories(choice.out, problem);
  if (problem) throw Error(fmt::format("{}: cannot be made: {}", choice.out.string(), problem.message()));
  if (fs::exists(path)) {
    const ordered_json before = files::read_json(path);
    if (before == record_of(choice)) return;
    throw Error(fmt::format("{}: the folder was made with {}; take another --out", path.string(), before.dump()));
  }
  files::write_file(path, record_of(choice).dump() + "\n");
}

void add_budget(CLI::App* verb, ReproduceOptions& options, const std::string& what_for) {
  verb->add_option("--budget", options.budget, what_for)
      ->check(CLI::IsMember(experiments::kBudgets))
      ->capture_default_str()
      ->type_name("smoke|hour|night|paper");
  verb->add_option("--equal", options.equal, "What all rows of an item get alike")
      ->check(CLI::IsMember({"time", "steps"}))
      ->capture_default_str()
      ->type_name("time|steps");
}

void add_plans(CLI::App* verb, ReproduceOptions& options) {
  verb->add_option("--plans", options.plans, "Folder of plans (default: those that came with the program)")
      ->type_name("FOLDER");
}

Choice as_if_data_were_there(const Plan& plan, const ReproduceOptions& options) {
  Choice choice{options.budget, equal_of(options), {}, {}};
  for (const auto& [need, hint] : plan.needs) choice.data[need] = need;
  return choice;
}

void run_list(const ReproduceOptions& options) {
  cli::Output output;
  ordered_json list = ordered_json::array();
  const bool with_budget = !options.budget.empty();
  std::vector<Job> all;
  for (const Plan& plan : all_plans(options.plans)) {
    std::vector<std::string> rows;
    for (const auto& row : plan.rows) rows.push_back(row.name);
    std::vector<Job> jobs;
    if (with_budget) jobs = experiments::jobs_of(plan, as_if_data_were_there(plan, options));
    const experiments::Extent extent = experiments::extent_of(jobs);
    all.insert(all.end(), jobs.begin(), jobs.end());
    if (options.json) {
      list.push_back({{"item", plan.name}, {"title", plan.title}, {"rows", rows}});
      if (with_budget) {
        list.back()["jobs"] = extent.jobs;
        list.back()["training_minutes"] = extent.training_minutes;
      }
      continue;
    }
    output.text(fmt::format("{:<28}{}\n{:28}{}\n", plan.name, plan.title, "", fmt::join(rows, " ")));
    if (with_budget) output.text(fmt::format("{:28}{}\n", "", to_text(extent)));
    for (const auto& [need, hint] : plan.needs)
      output.text(fmt::format("{:28}needs --data {}=…: {}\n", "", need, hint));
  }
  if (options.json) cli::print_json(list);
  if (with_budget && !options.json) output.text(fmt::format("{:<28}{}\n", "all", to_text(extent_of(all))));
  output.flush();
}

std::vector<Job> jobs_of(const std::vector<Plan>& plans, const ReproduceOptions& options, const Choice& choice) {
  std::vector<Job> jobs;
  for (const Plan& plan : plans) {
    const std::vector<Job> of_plan = experiments::jobs_of(plan, choice);
    jobs.insert(jobs.end(), of_plan.begin(), of_plan.end());
  }
  return experiments::chosen(jobs, options.items);
}

void print_commands(const std::vector<Job>& jobs, const ReproduceOptions& options) {
  std::vector<std::string> settings{"--budget", options.budget, "--equal", options.equal, "--out", options.out};
  for (const std::string& pair : options.data) settings.insert(settings.end(), {"--data", pair});
  if (!options.plans.empty()) settings.insert(settings.end(), {"--plans", options.plans});
  cli::Output output;
  for (const std::string& line : lines_for_others(jobs, settings, options.jobs_as == "slurm")) {
    output.text(line + "\n");
  }
  output.flush();
}

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string minutes(double seconds) {
  return seconds < 60 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

// A plan whose column nothing was printed for would else be found out at the end of a night, by an empty table.
void warn_of_empty_columns(const experiments::Report& report) {
  for (const experiments::ItemReport& item : report.items) {
    for (const experiments::TableRow& row : item.rows) {
      if (row.without.empty()) continue;
      cli::warn(fmt::format("{}/{}: no number for {}: no line that was printed has the column's field and `where`",
                            item.plan.name, row.name, fmt::join(row.without, ", ")));
    }
  }
}

// In the forms that there are, by the file's ending.
std::string as_page(const experiments::Report& report, const fs::path& page) {
  const std::string ending = page.extension().string();
  if (ending == ".html") return experiments::as_html(report);
  if (ending == ".csv") return experiments::as_csv(report);
  if (ending == ".tex") return experiments::as_latex(report);
  return experiments::as_markdown(report, fs::absolute(page).parent_path());
}

void write_report(const std::vector<Plan>& plans, const Choice& choice) {
  const experiments::Report report = experiments::make_report(
      plans, {choice}, {.pictures = choice.out, .for_a_paper = true, .version = CMANP_VERSION});
  warn_of_empty_columns(report);
  for (const char* ending : {"md", "html", "csv", "tex"}) {
    const fs::path page = choice.out / fmt::format("report.{}", ending);
    files::write_file(page, as_page(report, page));
  }
  files::write_file(choice.out / "curves.csv", experiments::curves_as_csv(report));
  cli::tell(fmt::format("{}: {}; the same as .md, .csv and .tex", (choice.out / "report.html").string(),
                        counted(report.items.size(), "item")));
}

void run_run(const ReproduceOptions& options) {
  const std::vector<Plan> plans = all_plans(options.plans);
  const Choice choice = choice_of(options);
  check_data_names(plans, choice);
  const std::vector<Job> jobs = jobs_of(plans, options, choice);
  const fs::path program = fs::read_symlink("/proc/self/exe").replace_filename("cmanp");
  check_commands(plans, jobs, program);
  if (!options.jobs_as.empty()) return print_commands(jobs, options);
  check_data_places(choice);
  note_stop_signals();
  keep_record(choice);
  cli::tell(fmt::format("{}; {} at once", to_text(experiments::extent_of(jobs)), options.jobs));
  std::size_t ended = 0;
  ReproduceBar bar(jobs);
  const experiments::RunCalls calls{
      .started =
          [&](const Job& job) {
            bar.clear();
            cli::tell(fmt::format("{}: begins", job.name));
          },
      .finished =
          [&](const Job& job, double seconds) {
            bar.clear();
            bar.ended(job);
            cli::tell(fmt::format("{}: done in {} ({} of {})", job.name, minutes(seconds), ++ended, jobs.size()));
          },
      .failed =
          [&](const Job& job, const std::string& why) {
            bar.clear();
            bar.ended(job);
            ++ended;
            cli::warn(fmt::format("{}: {}", job.name, why));
          },
      .waited = [&](const std::vector<const Job*>& at_work) { bar.look(at_work); }};
  const experiments::Outcome outcome = run_jobs(
      jobs, {program, CMANP_VERSION, options.jobs, [] { return stop_signal(); }, run_if_it_needs_libtorch}, calls);
  bar.clear();
  for (const std::string& why : outcome.left_out) cli::note("left out: " + why);
  write_report(plans, choice);
  cli::tell(fmt::format("{} done, {} were done before, {} left out, {} failed, {} stopped",
                        counted(outcome.finished, "job"), outcome.before, outcome.left_out.size(),
                        outcome.failed.size(), outcome.stopped));
  if (stop_signal() != 0) throw cli::Exit{128 + stop_signal()};
  if (!outcome.failed.empty()) throw cli::Exit{1};
}

Choice recorded_choice(const std::string& folder) {
  const fs::path path = record_file(folder);
  std::error_code problem;
  if (!fs::exists(path, problem)) {
    throw Error(fmt::format("{}: is no folder of `cmanp reproduce run`: there is no {} in it", folder,
                            path.filename().string()));
  }
  const ordered_json record = files::read_json(path);
  const auto text = [&](const char* key) {
    if (record.is_object() && record.contains(key) && record[key].is_string()) return record[key].get<std::string>();
    throw Error(fmt::format("{}: has no {}", path.string(), key));
  };
  Choice choice{text("budget"), text("equal") == "time" ? Equal::time : Equal::steps, {}, fs::absolute(folder)};
  if (std::find(experiments::kBudgets.begin(), experiments::kBudgets.end(), choice.budget) ==
      experiments::kBudgets.end()) {
    throw Error(fmt::format("{}: unknown budget", path.string()));
  }
  return choice;
}

// One page of all items, whatever folder they are from, with its pictures in a folder of its name.
void write_page(const std::vector<Plan>& plans, const std::vector<Choice>& folders, const fs::path& page) {
  const fs::path here = fs::absolute(page).parent_path();
  const experiments::Report report = experiments::make_report(
      plans, folders, {.pictures = here / page.stem(), .all_items = true, .version = CMANP_VERSION});
  files::write_file(page, as_page(report, page));
  cli::tell(fmt::format("{}: {}", page.string(), counted(report.items.size(), "item")));
}

void run_report(const ReproduceOptions& options) {
  const std::vector<Plan> plans = all_plans(options.plans);
  std::vector<Choice> folders;
  for (const std::string& folder : options.folders) folders.push_back(recorded_choice(folder));
  if (!options.page.empty()) return write_page(plans, folders, options.page);
  for (const Choice& folder : folders) write_report(plans, folder);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  CLI::App* verb = cli::add_verb(app, "reproduce", "The paper's tables and figures, each by one command",
                                 "cmanp reproduce list\n"
                                 "cmanp reproduce run gp-table --budget hour --out results\n"
                                 "cmanp reproduce report results");
  verb->require_subcommand(1);
  auto options = std::make_shared<ReproduceOptions>();

  CLI::App* list = cli::add_verb(*verb, "list", "What can be reproduced: items, their rows, and what they take",
                                 "cmanp reproduce list\ncmanp reproduce list --budget night --equal time");
  auto listed = std::make_shared<ReproduceOptions>();
  listed->budget.clear();
  add_budget(list, *listed,
             "Say also how many jobs an item has with this budget and, with --equal time, how long they train");
  add_plans(list, *listed);
  cli::add_json(list, listed->json);
  list->callback([listed] { run_list(*listed); });

  CLI::App* run = cli::add_verb(*verb, "run", "Trains, evaluates and measures what items need, and reports",
                                "cmanp reproduce run gp-table/cmanp gp-table/tnpd --budget hour --out results\n"
                                "Killed at any moment, the same command goes on; what is done is not done again.");
  run->add_option("item", options->items, "Items, their rows (item/row) or single jobs (item/row/seed); default: all")
      ->type_name("ITEM");
  add_budget(run, *options, "How far rows are trained; a plan has its numbers");
  run->add_option("--out,-o", options->out, "Folder of jobs, results and the report")->required()->type_name("FOLDER");
  run->add_option("--data", options->data,
                  "Data that a plan needs, as `cmanp reproduce list` says; may stand several times")
      ->type_name("NAME=PATH")
      ->allow_extra_args(false);  // an item may follow
  run->add_option("--jobs,-j", options->jobs, "Jobs at once, a core each")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}))
      ->capture_default_str()
      ->type_name("N");
  run->add_option("--jobs-as", options->jobs_as, "Print a command for every job instead, for other machines")
      ->check(CLI::IsMember({"commands", "slurm"}))
      ->type_name("commands|slurm");
  add_plans(run, *options);
  run->callback([options] { run_run(*options); });

  CLI::App* report = cli::add_verb(*verb, "report", "Makes the reports of folders anew, or one page of several",
                                   "cmanp reproduce report results\n"
                                   "cmanp reproduce report measured trained --page docs/results.md");
  report->add_option("folder", options->folders, "The folders of runs")->required()->type_name("FOLDER");
  report
      ->add_option("--page", options->page,
                   "Instead: one page of all items, each from the folder that has most of it, those that were not run, "
                   "too; pictures go into a folder of the same name. Or their numbers, as CSV or LaTeX")
      ->check(CLI::Validator(
          [](const std::string& name) {
            const std::string ending = fs::path(name).extension().string();
            const bool known = ending == ".md" || ending == ".html" || ending == ".csv" || ending == ".tex";
            return known ? std::string() : name + ": ends in .md, .html, .csv or .tex";
          },
          ""))
      ->type_name("FILE.md|html|csv|tex");
  add_plans(report, *options);
  report->callback([options] { run_report(*options); });
}

}  // namespace cmanp::cli_train
