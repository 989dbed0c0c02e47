#include "experiments/pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/html.hpp"

namespace cmanp::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTitle = "The paper's tables and figures, as made here";

std::string published(const Cell& cell, const Column& column) {
  if (!cell.paper) return "";
  if (!cell.paper->deviation) return fmt::format("{:.{}f}", cell.paper->mean, column.digits);
  return fmt::format("{:.{}f} ± {:.{}f}", cell.paper->mean, column.digits, *cell.paper->deviation, column.digits);
}

std::string ours(const Cell& cell, const Column& column) {
  if (cell.seeds == 0) return "";
  if (!cell.deviation) return fmt::format("{:.{}f}", cell.mean, column.digits);
  return fmt::format("{:.{}f} ± {:.{}f} ({})", cell.mean, column.digits, *cell.deviation, column.digits, cell.seeds);
}

std::string difference(const Cell& cell, const Column& column) {
  return cell.seeds == 0 || !cell.paper ? "" : fmt::format("{:+.{}f}", cell.mean - cell.paper->mean, column.digits);
}

bool any(const ItemReport& item, auto predicate) { return std::any_of(item.rows.begin(), item.rows.end(), predicate); }

// "0.02 (0)"
std::string both(const Cell& cell, const Column& column) {
  if (!cell.paper) return ours(cell, column);
  return fmt::format("{}{}({:g})", ours(cell, column), cell.seeds == 0 ? "" : " ", cell.paper->mean);
}

// Rows of text, the first of them the head: what both forms of the page are made of. Columns that no row has anything
// in are left out.
std::vector<Words> text_table(const ItemReport& item) {
  const auto published_in = [&](std::size_t i) {
    return !item.plan.compact && any(item, [&](const TableRow& row) { return row.cells[i].paper.has_value(); });
  };
  const bool has_steps = any(item, [](const TableRow& row) { return row.steps.has_value(); });
  std::vector<Words> table{{"method"}};
  for (std::size_t i = 0; i < item.plan.columns.size(); ++i) {
    const std::string& title = item.plan.columns[i].title;
    if (!published_in(i)) {
      table[0].push_back(title);
      continue;
    }
    for (const char* part : {": the paper", ": here", ": difference"}) table[0].push_back(title + part);
  }
  if (has_steps) table[0].push_back("steps");
  table[0].insert(table[0].end(), {"core-minutes a seed", "remark"});
  for (const TableRow& row : item.rows) {
    Words line{row.title};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      const Column& column = item.plan.columns[i];
      if (published_in(i)) line.push_back(published(cell, column));
      line.push_back(item.plan.compact ? both(cell, column) : ours(cell, column));
      if (published_in(i)) line.push_back(difference(cell, column));
    }
    if (has_steps) line.push_back(row.steps ? fmt::format("{:.0f}", *row.steps) : "");
    line.push_back(row.processor_minutes ? fmt::format("{:.1f}", *row.processor_minutes) : "");
    line.push_back(row.remark);
    table.push_back(line);
  }
  return table;
}

const char* verdict(Verdict what) {
  return what == Verdict::held ? "held" : what == Verdict::did_not_hold ? "did not hold" : "not known yet";
}

std::string numbers_of(const CheckedClaim& claim) {
  return claim.numbers.empty() ? "" : fmt::format(" ({})", claim.numbers);
}

Words introduction(const Report& report) {
  return {
      fmt::format("By cmanp {}. Numbers are means over seeds, ± the deviation between seeds (their number) where "
                  "there are several; the paper's are beside them, from training on a GPU for its full number of "
                  "steps. Every item says its budget, and whether its rows had equal steps or equal processor time.",
                  report.version),
      "What the paper says in words stands below a table as a comparison of two of its numbers, and whether it held "
      "here."};
}

std::string state_of(const ItemReport& item) {
  const bool equal_time = item.choice.equal == Equal::time;
  std::string text = fmt::format("{} of {} jobs are done. Budget `{}`, equal {} for all rows", item.finished, item.jobs,
                                 item.choice.budget, equal_time ? "processor time" : "steps");
  const auto has_share = [](const Row& row) { return row.share != 1; };
  if (equal_time && std::any_of(item.plan.rows.begin(), item.plan.rows.end(), has_share)) {
    text += " but those that have a share of it (the column of core-minutes says how much)";
  }
  return text + (item.machine.empty() ? "." : fmt::format("; on {}.", item.machine));
}

// The one command that makes all of it, and those that it starts for a row.
Words commands_of(const ItemReport& item) {
  std::string whole = fmt::format("cmanp reproduce run {} --budget {} --equal {} --out results", item.plan.name,
                                  item.choice.budget, item.choice.equal == Equal::time ? "time" : "steps");
  for (const auto& [need, hint] : item.plan.needs) whole += fmt::format(" --data {}=…", need);
  Words lines{whole, "# which for the first row starts:"};
  lines.insert(lines.end(), item.commands.begin(), item.commands.end());
  return lines;
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

std::string html_of(const ItemReport& item) {
  std::string body = fmt::format("<h2>{}</h2>\n", prose(item.plan.title));
  for (const std::string& line : {item.plan.claim, item.plan.measure, state_of(item)}) {
    if (!line.empty()) body += fmt::format("<p>{}</p>\n", prose(line));
  }
  body += html_table(text_table(item));
  if (!item.claims.empty()) body += "<ul>\n";
  for (const CheckedClaim& claim : item.claims) {
    body += fmt::format("<li>{}: <b>{}</b>{}</li>\n", prose(claim.says), verdict(claim.verdict),
                        base::html_escaped(numbers_of(claim)));
  }
  if (!item.claims.empty()) body += "</ul>\n";
  for (const DrawnPicture& picture : item.pictures) {
    body += fmt::format("<p><img alt=\"{}\" src=\"data:image/png;base64,{}\"></p>\n", base::html_escaped(picture.title),
                        base64(file_bytes(picture.file)));
  }
  return body +
         fmt::format("<pre>{}</pre>\n", base::html_escaped(fmt::format("{}", fmt::join(commands_of(item), "\n"))));
}

std::string markdown_of(const ItemReport& item, const fs::path& folder) {
  std::string text = fmt::format("\n## {}\n", item.plan.title);
  for (const std::string& line : {item.plan.claim, item.plan.measure, state_of(item)}) {
    if (!line.empty()) text += "\n" + line + "\n";
  }
  const std::vector<Words> table = text_table(item);
  text += "\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(table[i], " | "));
    if (i == 0) text += fmt::format("|{}|\n", fmt::join(Words(table[0].size(), "---"), "|"));
  }
  if (!item.claims.empty()) text += "\n";
  for (const CheckedClaim& claim : item.claims) {
    text += fmt::format("- {}: **{}**{}\n", claim.says, verdict(claim.verdict), numbers_of(claim));
  }
  for (const DrawnPicture& picture : item.pictures) {
    text += fmt::format("\n![{}]({})\n", picture.title, fs::relative(picture.file, folder).generic_string());
  }
  return text + fmt::format("\n```sh\n{}\n```\n", fmt::join(commands_of(item), "\n"));
}

}  // namespace

std::string as_markdown(const Report& report, const fs::path& folder) {
  std::string text = fmt::format("# {}\n", kTitle);
  for (const std::string& paragraph : introduction(report)) text += "\n" + paragraph + "\n";
  for (const ItemReport& item : report.items) text += markdown_of(item, folder);
  return text;
}

std::string as_html(const Report& report) {
  std::string body = fmt::format("<h1>{}</h1>\n", kTitle);
  for (const std::string& paragraph : introduction(report)) body += fmt::format("<p>{}</p>\n", prose(paragraph));
  for (const ItemReport& item : report.items) body += html_of(item);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>The paper's tables and figures</title>\n<style>{}\n</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      kStyle, body);
}

}  // namespace cmanp::experiments
