// What a folder of jobs has shown so far, as one page: tables beside the paper's, figures, commands, machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/jobs.hpp"

namespace cmanp::experiments {

// A number of a table: over seeds.
struct Cell {
  std::size_t seeds = 0;
  double mean = 0;
  std::optional<double> deviation;  // over seeds; none for one seed
  std::optional<PublishedValue> paper;
};

struct TableRow {
  std::string title, remark;                       // why nothing is here
  std::vector<Cell> cells;                         // as the plan's columns
  std::optional<double> steps, processor_minutes;  // of one seed, on average
};

struct ItemReport {
  Plan plan;
  std::vector<TableRow> rows;
  std::size_t finished = 0, jobs = 0;
  std::vector<std::string> commands;            // of the first job that is finished
  std::optional<std::filesystem::path> figure;  // drawn into the folder, where there is gnuplot
};

struct Report {
  std::string budget, equal, version, machine;
  std::vector<ItemReport> items;
};

// From the folder's own record of what was asked for (`reproduce.json`) and its jobs. Draws the figures.
Report make_report(const std::vector<Plan>& plans, const Choice& choice, const std::string& version);

std::string as_markdown(const Report& report);

// One file that holds everything, pictures included.
std::string as_html(const Report& report);

// "AMD EPYC …, 2 cores, 24 GiB", as far as the system tells.
std::string machine_name();

}  // namespace cmanp::experiments
