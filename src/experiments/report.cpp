#include "experiments/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/html.hpp"
#include "experiments/results.hpp"
#include "plots/gnuplot.hpp"
#include "plots/line_plot.hpp"

namespace cmanp::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool has_fields(const Json& line, const Json& where) {
  return std::all_of(where.items().begin(), where.items().end(), [&](const auto& wanted) {
    const auto found = line.find(wanted.key());
    return found != line.end() && *found == wanted.value();
  });
}

std::optional<double> number_for(const Result& result, const Column& column) {
  for (const Json& line : result.printed.back()) {
    if (!has_fields(line, column.where)) continue;
    const auto found = line.find(column.field);
    if (found != line.end() && found->is_number()) return found->get<double>();
  }
  return std::nullopt;
}

double mean_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

std::optional<double> deviation_of(const std::vector<double>& numbers) {
  if (numbers.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double number : numbers) squares += std::pow(number - mean_of(numbers), 2);
  return std::sqrt(squares / static_cast<double>(numbers.size() - 1));
}

Cell cell_of(const std::vector<Result>& results, const Column& column, const Row& row) {
  std::vector<double> numbers;
  for (const Result& result : results) {
    if (const auto number = number_for(result, column)) numbers.push_back(*number);
  }
  Cell cell;
  cell.seeds = numbers.size();
  if (!numbers.empty()) cell.mean = mean_of(numbers);
  cell.deviation = deviation_of(numbers);
  if (const auto found = row.paper.find(column.title); found != row.paper.end()) cell.paper = found->second;
  return cell;
}

TableRow table_row(const Plan& plan, const Row& row, const std::vector<Result>& results, const std::string& cannot) {
  TableRow line{.title = row.title, .remark = {}, .cells = {}, .steps = {}, .processor_minutes = {}};
  for (const Column& column : plan.columns) line.cells.push_back(cell_of(results, column, row));
  if (results.empty()) {
    line.remark = cannot.empty() ? "not run yet" : cannot;
    return line;
  }
  double minutes = 0;
  for (const Result& result : results) minutes += result.processor_seconds / 60;
  line.processor_minutes = minutes / static_cast<double>(results.size());
  line.steps = field_anywhere(results.front(), "step");
  return line;
}

// Curves over all that the last commands printed.
std::optional<fs::path> draw_figure(const Plan& plan, const std::vector<Result>& results, const fs::path& folder) {
  if (!plan.figure || results.empty() || !plots::can_draw()) return std::nullopt;
  const Figure& figure = *plan.figure;
  plots::LinePlot plot{.title = plan.title,
                       .x_label = figure.x_label,
                       .y_label = figure.y_label,
                       .x_step = 0,
                       .log_x = figure.log_x,
                       .log_y = figure.log_y,
                       .key = true,
                       .series = {}};
  for (const Result& result : results) {
    for (const Json& line : result.printed.back()) {
      if (!line.contains(figure.x) || !line.contains(figure.y) || !line[figure.x].is_number()) continue;
      if (!line[figure.y].is_number() || !line.contains(figure.series)) continue;
      const std::string name =
          line[figure.series].is_string() ? line[figure.series].get<std::string>() : line[figure.series].dump();
      auto series = std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& s) { return s.name == name; });
      if (series == plot.series.end()) series = plot.series.insert(series, {name, {}});
      series->points.x.push_back(line[figure.x].get<double>());
      series->points.y.push_back(line[figure.y].get<double>());
    }
  }
  if (plot.series.empty()) return std::nullopt;
  const fs::path picture = folder / (plan.name + ".png");
  plots::draw(picture, {}, plots::script_of(plot));
  return picture;
}

ItemReport report_on(const Plan& plan, const Choice& choice) {
  ItemReport item{.plan = plan, .rows = {}, .finished = 0, .jobs = 0, .commands = {}, .figure = {}};
  const std::vector<Job> jobs = jobs_of(plan, choice);
  std::vector<Result> all;
  for (const Row& row : plan.rows) {
    std::vector<Result> results;
    std::string cannot;
    for (const Job& job : jobs) {
      if (job.row != row.name) continue;
      ++item.jobs;
      cannot = job.cannot;
      const std::optional<Result> result = result_of(job.folder);
      if (!result) continue;
      ++item.finished;
      results.push_back(*result);
      if (!item.commands.empty()) continue;
      for (const Words& command : job.recorded)
        item.commands.push_back(fmt::format("cmanp {}", fmt::join(command, " ")));
    }
    item.rows.push_back(table_row(plan, row, results, cannot));
    all.insert(all.end(), results.begin(), results.end());
  }
  item.figure = draw_figure(plan, all, choice.out);
  return item;
}

std::string published(const Cell& cell) {
  if (!cell.paper) return "";
  if (!cell.paper->deviation) return fmt::format("{:.2f}", cell.paper->mean);
  return fmt::format("{:.2f} ± {:.2f}", cell.paper->mean, *cell.paper->deviation);
}

std::string ours(const Cell& cell) {
  if (cell.seeds == 0) return "";
  if (!cell.deviation) return fmt::format("{:.2f}", cell.mean);
  return fmt::format("{:.2f} ± {:.2f} ({})", cell.mean, *cell.deviation, cell.seeds);
}

std::string difference(const Cell& cell) {
  return cell.seeds == 0 || !cell.paper ? "" : fmt::format("{:+.2f}", cell.mean - cell.paper->mean);
}

// Rows of text, the first of them the head: what both forms of the page are made of.
std::vector<Words> text_table(const ItemReport& item) {
  std::vector<Words> table{{"method"}};
  for (const Column& column : item.plan.columns) {
    for (const char* part : {": the paper", ": here", ": difference"}) table[0].push_back(column.title + part);
  }
  table[0].insert(table[0].end(), {"steps", "core-minutes a seed", "remark"});
  for (const TableRow& row : item.rows) {
    Words line{row.title};
    for (const Cell& cell : row.cells) line.insert(line.end(), {published(cell), ours(cell), difference(cell)});
    line.push_back(row.steps ? fmt::format("{:.0f}", *row.steps) : "");
    line.push_back(row.processor_minutes ? fmt::format("{:.1f}", *row.processor_minutes) : "");
    line.push_back(row.remark);
    table.push_back(line);
  }
  return table;
}

Words introduction(const Report& report) {
  return {fmt::format("Budget `{}`, equal {} for all rows of an item. cmanp {}, on {}.", report.budget, report.equal,
                      report.version, report.machine),
          "Numbers are means over seeds, ± the deviation between seeds (their number) where there are several; the "
          "paper's are beside them, from training on a GPU for its full number of steps."};
}

std::string base64(const std::string& bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? kLetters[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::string file_bytes(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Prose as HTML; what stands `so` is code, as in Markdown.
std::string prose(const std::string& text) {
  std::string result;
  bool in_code = false;
  for (const char c : base::html_escaped(text)) {
    if (c != '`') {
      result += c;
      continue;
    }
    result += in_code ? "</code>" : "<code>";
    in_code = !in_code;
  }
  return result;
}

constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
td { white-space: nowrap; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child, td:last-child { text-align: left; }
th { border-bottom: 2px solid #888; vertical-align: bottom; }
pre { background: #f5f5f5; padding: .7rem; overflow-x: auto; }
img { max-width: 100%; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } pre { background: #262626; }
  td { border-color: #444; } img { background: #fff; } })";

std::string html_table(const std::vector<Words>& table) {
  std::string html = "<table>\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    html += "<tr>";
    for (const std::string& cell : table[i]) {
      html += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", prose(cell));
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

}  // namespace

std::string machine_name() {
  std::ifstream stream("/proc/cpuinfo");
  std::string processor = "an unknown processor";
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("model name")) processor = line.substr(std::min(line.find(':') + 2, line.size()));
  }
  const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return fmt::format("{}, {} cores, {:.0f} GiB", processor, std::thread::hardware_concurrency(), bytes / (1 << 30));
}

Report make_report(const std::vector<Plan>& plans, const Choice& choice, const std::string& version) {
  Report report{.budget = choice.budget,
                .equal = choice.equal == Equal::time ? "processor time" : "steps",
                .version = version,
                .machine = machine_name(),
                .items = {}};
  for (const Plan& plan : plans) {
    ItemReport item = report_on(plan, choice);
    if (item.finished > 0) report.items.push_back(std::move(item));
  }
  return report;
}

std::string as_markdown(const Report& report) {
  std::string text = "# The paper's tables and figures, as made here\n";
  for (const std::string& paragraph : introduction(report)) text += "\n" + paragraph + "\n";
  for (const ItemReport& item : report.items) {
    text += fmt::format("\n## {}\n", item.plan.title);
    for (const std::string& line : {item.plan.claim, item.plan.measure}) {
      if (!line.empty()) text += "\n" + line + "\n";
    }
    text += fmt::format("\n{} of {} jobs are done.\n\n", item.finished, item.jobs);
    const std::vector<Words> table = text_table(item);
    for (std::size_t i = 0; i < table.size(); ++i) {
      text += fmt::format("| {} |\n", fmt::join(table[i], " | "));
      if (i == 0)
        text += "|" + [&] {
          std::string rule;
          for (std::size_t k = 0; k < table[0].size(); ++k) rule += "---|";
          return rule;
        }() + "\n";
    }
    if (item.figure) text += fmt::format("\n![{}]({})\n", item.plan.title, item.figure->filename().string());
    if (!item.commands.empty()) text += fmt::format("\n```sh\n{}\n```\n", fmt::join(item.commands, "\n"));
  }
  return text;
}

std::string as_html(const Report& report) {
  std::string body = "<h1>The paper's tables and figures, as made here</h1>\n";
  for (const std::string& paragraph : introduction(report)) body += fmt::format("<p>{}</p>\n", prose(paragraph));
  for (const ItemReport& item : report.items) {
    body += fmt::format("<h2>{}</h2>\n", prose(item.plan.title));
    for (const std::string& line : {item.plan.claim, item.plan.measure}) {
      if (!line.empty()) body += fmt::format("<p>{}</p>\n", prose(line));
    }
    body += fmt::format("<p>{} of {} jobs are done.</p>\n{}", item.finished, item.jobs, html_table(text_table(item)));
    if (item.figure) {
      body += fmt::format("<p><img alt=\"{}\" src=\"data:image/png;base64,{}\"></p>\n",
                          base::html_escaped(item.plan.title), base64(file_bytes(*item.figure)));
    }
    body += fmt::format("<pre>{}</pre>\n", base::html_escaped(fmt::format("{}", fmt::join(item.commands, "\n"))));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>The paper's tables and figures</title>\n<style>{}\n</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      kStyle, body);
}

}  // namespace cmanp::experiments
