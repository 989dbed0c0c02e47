// What folders of jobs have shown so far: tables beside the paper's, figures, and whether what the paper says held.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/jobs.hpp"
#include "experiments/numbers.hpp"

namespace cmanp::experiments {

// A number of a table: over seeds.
struct Cell {
  std::vector<double> seeds = {};  // a number each
  double mean = 0;
  std::optional<double> deviation = {};  // over seeds; none for one seed
  std::optional<PublishedValue> paper = {};
  bool best = false;  // of its column as it is printed, where one number is better than another
};

struct TableRow {
  std::string name, title, remark;                 // why nothing is here and what it would take; whose run it is
  std::vector<Cell> cells;                         // as the plan's columns
  std::optional<double> steps, processor_minutes;  // of one seed, on average
  std::optional<double> megabytes;                 // that a process held, at most
  Words without;                                   // columns, in quotes, whose field is not in what was printed
};

// A figure's curves, as numbers.
struct Curves {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  std::filesystem::path pdf = {};  // where it is drawn for a paper
};

enum class Verdict { held, did_not_hold, not_known };

struct CheckedClaim {
  std::string says;
  Verdict verdict = Verdict::not_known;
  std::string numbers;  // "0.02 < 0.1"
};

struct DrawnPicture {
  std::filesystem::path file;
  std::string title;
};

struct ItemReport {
  Plan plan;
  Choice choice;        // of the folder that it is from
  std::string machine;  // that its jobs ran on; several with semicolons between
  std::string data;     // that they had, "celeba = lfw", as far as jobs say so
  std::vector<TableRow> rows;
  std::size_t finished = 0, jobs = 0;
  std::size_t other_plans = 0;  // jobs whose numbers were made by other commands than the plan's; not in the table
  std::vector<std::string> commands;  // of the first job that is finished, or of the first
  std::vector<Curves> figures;
  std::vector<DrawnPicture> pictures;  // figures, drawn where there is gnuplot, and what jobs left
  std::size_t pictures_elsewhere = 0;  // that jobs left where they ran, and the records kept of them have not
  std::vector<CheckedClaim> claims;
};

struct Report {
  std::string version;
  std::vector<ItemReport> items;
};

struct ReportOptions {
  std::filesystem::path pictures;  // the folder that figures are drawn and pictures copied into
  bool all_items = false;          // those of which nothing was run, too; else those that have ended, well or not
  bool for_a_paper = false;        // figures as PDF, too
  std::string version;
};

// Each item from the folder that has most of it, the first of several.
Report make_report(const std::vector<Plan>& plans, const std::vector<Choice>& folders, const ReportOptions& options);

}  // namespace cmanp::experiments
