#include "experiments/pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "base/html.hpp"
#include "base/lower.hpp"
#include "experiments/decimals.hpp"

namespace cmanp::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemark = "remark";
constexpr const char* kTitle = "The paper's tables and figures, as made here";

std::string published(const Cell& cell, const Column& column) {
  return cell.paper ? with_deviation(cell.paper->mean, cell.paper->deviation, column.digits) : "";
}

std::string ours(const Cell& cell, const Column& column) {
  if (cell.seeds.empty()) return "";
  const std::string number = with_deviation(cell.mean, cell.deviation, column.digits);
  return cell.deviation ? fmt::format("{} ({})", number, cell.seeds.size()) : number;
}

std::string difference(const Cell& cell, const Column& column) {
  if (cell.seeds.empty() || !cell.paper || column.other_unit) return "";
  const std::string number = decimal(cell.mean - cell.paper->mean, column.digits);
  return number.starts_with('-') ? number : "+" + number;
}

bool any(const ItemReport& item, auto predicate) { return std::any_of(item.rows.begin(), item.rows.end(), predicate); }

// "0.02 (0)"
std::string both(const Cell& cell, const Column& column) {
  if (!cell.paper) return ours(cell, column);
  return fmt::format("{}{}({:g})", ours(cell, column), cell.seeds.empty() ? "" : " ", cell.paper->mean);
}

// What all rows say where none was run; the text above the table says it then, once.
std::string shared_remark(const ItemReport& item) {
  const std::string& first = item.rows.front().remark;
  return item.finished > 0 || any(item, [&](const TableRow& row) { return row.remark != first; }) ? "" : first;
}

// Of a table of text. Columns side by side with the same group stand below its name.
struct TextColumn {
  std::string group, head;
  Words texts;             // a row each
  std::vector<bool> best;  // which of them are in bold
};

// Unless no row has anything in it.
void add_column(std::vector<TextColumn>& table, const ItemReport& item, const std::string& group,
                const std::string& head, auto text_of, auto is_best) {
  TextColumn column{group, head, {}, {}};
  for (const TableRow& row : item.rows) {
    column.texts.push_back(text_of(row));
    column.best.push_back(is_best(row));
  }
  const auto is_empty = [](const std::string& text) { return text.empty(); };
  if (!std::all_of(column.texts.begin(), column.texts.end(), is_empty)) table.push_back(std::move(column));
}

void add_column(std::vector<TextColumn>& table, const ItemReport& item, const std::string& group,
                const std::string& head, auto text_of) {
  add_column(table, item, group, head, text_of, [](const TableRow&) { return false; });
}

// What both forms of the page are made of. Columns that no row has anything in are left out.
std::vector<TextColumn> text_table(const ItemReport& item) {
  std::vector<TextColumn> table;
  add_column(table, item, "", "method", [](const TableRow& row) { return row.title; });
  for (std::size_t i = 0; i < item.plan.columns.size(); ++i) {
    const Column& column = item.plan.columns[i];
    const auto add = [&](const std::string& group, const std::string& head, auto text) {
      add_column(table, item, group, head, [&](const TableRow& row) { return text(row.cells[i], column); });
    };
    const auto add_ours = [&](const std::string& group, const std::string& head, auto text) {
      add_column(
          table, item, group, head, [&](const TableRow& row) { return text(row.cells[i], column); },
          [&](const TableRow& row) { return row.cells[i].best; });
    };
    const bool is_published = any(item, [&](const TableRow& row) { return row.cells[i].paper.has_value(); });
    if (item.plan.compact || !is_published) {
      add_ours("", column.title, both);
      continue;
    }
    add(column.title, "the paper", published);
    add_ours(column.title, "here", ours);
    add(column.title, "difference", difference);
  }
  add_column(table, item, "", "steps",
             [](const TableRow& row) { return row.steps ? fmt::format("{:.0f}", *row.steps) : ""; });
  add_column(table, item, "", "core-minutes a seed", [](const TableRow& row) {
    return row.processor_minutes ? fmt::format("{:.1f}", *row.processor_minutes) : "";
  });
  add_column(table, item, "", "MB at most",
             [](const TableRow& row) { return row.megabytes ? fmt::format("{:.0f}", *row.megabytes) : ""; });
  if (shared_remark(item).empty()) add_column(table, item, "", kRemark, [](const TableRow& row) { return row.remark; });
  return table;
}

// Its rows, below one line of heads.
std::vector<Words> rows_of(const std::vector<TextColumn>& table) {
  std::vector<Words> rows(table.front().texts.size() + 1);
  for (const TextColumn& column : table) {
    rows[0].push_back(column.group.empty() ? column.head : fmt::format("{}: {}", column.group, column.head));
    for (std::size_t i = 0; i < column.texts.size(); ++i) {
      rows[i + 1].push_back(column.best[i] ? fmt::format("**{}**", column.texts[i]) : column.texts[i]);
    }
  }
  return rows;
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
                  "there are several, and the best of a column is in bold; the paper's are beside them, from training "
                  "on a GPU for its full number of steps. Every item says its budget, and whether its rows had equal "
                  "steps or equal processor time.",
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
  if (!item.machine.empty()) text += fmt::format("; on {}", item.machine);
  if (!item.data.empty()) text += fmt::format("; data: {}", item.data);
  text += ".";
  const auto& in_the_paper = item.plan.budgets.at("paper").steps;
  if (in_the_paper.value_or(0) > 0 && item.choice.budget != "paper") {
    text += fmt::format(" Budget `paper` has {} steps a row.", *in_the_paper);
  }
  if (item.other_plans > 0) {
    text +=
        fmt::format(" {} more were made by other commands than the plan has now, and are left out.", item.other_plans);
  }
  if (item.pictures_elsewhere > 0) {
    text +=
        fmt::format(" Its pictures ({}) are not shown here: the command below makes them.", item.pictures_elsewhere);
  }
  if (const std::string remark = shared_remark(item); !remark.empty()) text += fmt::format(" All rows: {}.", remark);
  if (item.finished < item.jobs) {
    for (const auto& [need, hint] : item.plan.needs) text += fmt::format(" Needed: --data {}=…, {}.", need, hint);
  }
  return text;
}

// A line an item: how much of it is done, and of what the paper says how much held.
std::vector<Words> overview(const Report& report, auto link_to) {
  std::vector<Words> table{
      {"item", "jobs done", "what the paper says: held", "did not hold", "not known yet", "budget"}};
  for (const ItemReport& item : report.items) {
    const auto count = [&](Verdict verdict) {
      return fmt::format("{}", std::count_if(item.claims.begin(), item.claims.end(),
                                             [&](const CheckedClaim& claim) { return claim.verdict == verdict; }));
    };
    table.push_back({link_to(item), fmt::format("{} of {}", item.finished, item.jobs), count(Verdict::held),
                     count(Verdict::did_not_hold), count(Verdict::not_known),
                     fmt::format("{}, equal {}", item.choice.budget, to_text(item.choice.equal))});
  }
  return table;
}

// The one command that makes all of it, and those that it starts for a row.
Words commands_of(const ItemReport& item) {
  std::string whole = fmt::format("cmanp reproduce run {} --budget {} --equal {} --out results", item.plan.name,
                                  item.choice.budget, to_text(item.choice.equal));
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
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
td { white-space: nowrap; }
p, ul { max-width: 64rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums; }
tr:first-child > th:first-child, td:first-child, .words { text-align: left; }
td.words { white-space: normal; min-width: 12rem; }
th { border-bottom: 2px solid #888; vertical-align: bottom; }
th.group { border-bottom: 1px solid #888; text-align: center; }
pre { background: #f5f5f5; padding: .7rem; overflow-x: auto; }
img { max-width: 100%; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } pre { background: #262626; }
  td { border-color: #444; } img { background: #fff; } })";

std::string html_row(const Words& cells) { return fmt::format("<tr>{}</tr>\n", fmt::join(cells, "")); }

std::string html_table(const std::vector<Words>& rows, auto as_cell) {
  std::string html = "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Words cells;
    for (const std::string& cell : rows[i])
      cells.push_back(fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : "td", as_cell(cell)));
    html += html_row(cells);
  }
  return html + "</table>\n";
}

const char* kind_of(const TextColumn& column) { return column.head == kRemark ? " class=\"words\"" : ""; }

// Two lines of heads: groups of columns above what each is of.
std::string html_table(const std::vector<TextColumn>& table) {
  Words groups, heads;
  for (auto column = table.begin(); column != table.end();) {
    const auto end = std::find_if(column, table.end(), [&](const TextColumn& c) { return c.group != column->group; });
    if (column->group.empty()) {
      for (; column != end; ++column) {
        groups.push_back(fmt::format("<th rowspan=\"2\"{}>{}</th>", kind_of(*column), prose(column->head)));
      }
      continue;
    }
    groups.push_back(fmt::format("<th class=\"group\" colspan=\"{}\">{}</th>", end - column, prose(column->group)));
    for (; column != end; ++column) heads.push_back(fmt::format("<th>{}</th>", prose(column->head)));
  }
  std::string html = "<table>\n" + html_row(groups) + html_row(heads);
  for (std::size_t i = 0; i < table.front().texts.size(); ++i) {
    Words cells;
    for (const TextColumn& column : table) {
      const std::string text = prose(column.texts[i]);
      cells.push_back(fmt::format("<td{}>{}</td>", kind_of(column), column.best[i] ? "<b>" + text + "</b>" : text));
    }
    html += html_row(cells);
  }
  return html + "</table>\n";
}

std::string html_of(const ItemReport& item) {
  std::string body = fmt::format("<h2 id=\"{}\">{}</h2>\n", base::html_escaped(item.plan.name), prose(item.plan.title));
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

// A bar would end the cell.
std::string in_table(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string markdown_table(const std::vector<Words>& table) {
  std::string text = "\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    Words cells;
    for (const std::string& cell : table[i]) cells.push_back(in_table(cell));
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
    if (i == 0) text += fmt::format("|{}|\n", fmt::join(Words(table[0].size(), "---"), "|"));
  }
  return text;
}

// A heading as the place that links name: small letters, digits, - and _, with - for a space.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : base::lower(heading)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '_') anchor += c;
  }
  return anchor;
}

std::string markdown_of(const ItemReport& item, const fs::path& folder) {
  std::string text = fmt::format("\n## {}\n", item.plan.title);
  for (const std::string& line : {item.plan.claim, item.plan.measure, state_of(item)}) {
    if (!line.empty()) text += "\n" + line + "\n";
  }
  text += markdown_table(rows_of(text_table(item)));
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
  if (report.items.size() > 1) {
    text += markdown_table(overview(report, [](const ItemReport& item) {
      return fmt::format("[{}](#{})", item.plan.title, anchor_of(item.plan.title));
    }));
  }
  for (const ItemReport& item : report.items) text += markdown_of(item, folder);
  return text;
}

std::string as_html(const Report& report) {
  std::string body = fmt::format("<h1>{}</h1>\n", kTitle);
  for (const std::string& paragraph : introduction(report)) body += fmt::format("<p>{}</p>\n", prose(paragraph));
  if (report.items.size() > 1) {
    body += html_table(overview(report,
                                [](const ItemReport& item) {
                                  return fmt::format("<a href=\"#{}\">{}</a>", base::html_escaped(item.plan.name),
                                                     prose(item.plan.title));
                                }),
                       [](const std::string& html) { return html; });
  }
  for (const ItemReport& item : report.items) body += html_of(item);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>The paper's tables and figures</title>\n<style>{}\n</style>\n</head>\n"
      "<body>\n{}</body>\n</html>\n",
      kStyle, body);
}

}  // namespace cmanp::experiments
