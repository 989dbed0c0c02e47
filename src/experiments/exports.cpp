#include "experiments/exports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "experiments/decimals.hpp"

namespace cmanp::experiments {
namespace {

// A field of CSV, in quotes where it has to be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string field(const std::optional<double>& number) { return number ? fmt::format("{}", *number) : ""; }

std::string csv_line(const Words& fields) { return fmt::format("{}\n", fmt::join(fields, ",")); }

// What stands for itself in LaTeX, and letters that its usual fonts lack outside of formulas.
std::string latex(const std::string& text) {
  static const std::map<std::string, std::string> others = {{"\\", "\\textbackslash{}"},
                                                            {"{", "\\{"},
                                                            {"}", "\\}"},
                                                            {"&", "\\&"},
                                                            {"%", "\\%"},
                                                            {"$", "\\$"},
                                                            {"#", "\\#"},
                                                            {"_", "\\_"},
                                                            {"~", "\\textasciitilde{}"},
                                                            {"^", "\\textasciicircum{}"},
                                                            {"<", "$<$"},
                                                            {">", "$>$"},
                                                            {"|", "$|$"},
                                                            {"`", ""},
                                                            {"δ", "$\\delta$"},
                                                            {"π", "$\\pi$"},
                                                            {"×", "$\\times$"},
                                                            {"±", "$\\pm$"}};
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;  // a letter of UTF-8
    const std::string letter = text.substr(i, end - i);
    const auto other = others.find(letter);
    result += other == others.end() ? letter : other->second;
    i = end;
  }
  return result;
}

std::string latex_of_paper(const Cell& cell, const Column& column) {
  if (!cell.paper) return "";
  return fmt::format("${}$", with_deviation(cell.paper->mean, cell.paper->deviation, column.digits, " \\pm "));
}

std::string latex_of_ours(const Cell& cell, const Column& column) {
  if (cell.seeds.empty()) return "";
  const std::string number = with_deviation(cell.mean, cell.deviation, column.digits, " \\pm ");
  return cell.best ? fmt::format("$\\mathbf{{{}}}$", number) : fmt::format("${}$", number);
}

// Over its columns, the paper's beside ours where it has some.
std::string latex_table(const ItemReport& item) {
  Words groups{""}, heads{"method"}, rules;
  std::string places = "l";
  std::vector<bool> with_paper;
  for (std::size_t i = 0; i < item.plan.columns.size(); ++i) {
    with_paper.push_back(
        std::any_of(item.rows.begin(), item.rows.end(), [&](const TableRow& row) { return row.cells[i].paper; }));
    const std::string title = latex(item.plan.columns[i].title);
    const std::size_t first = heads.size() + 1;
    if (with_paper[i]) heads.push_back("paper");
    heads.push_back("here");
    groups.push_back(with_paper[i] ? fmt::format("\\multicolumn{{2}}{{c}}{{{}}}", title) : title);
    places += with_paper[i] ? "rr" : "r";
    rules.push_back(fmt::format("\\cmidrule(lr){{{}-{}}}", first, heads.size()));
  }
  std::string text = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n{}\n{} \\\\\n\\midrule\n", places,
                                 fmt::join(groups, " & "), fmt::join(rules, ""), fmt::join(heads, " & "));
  for (const TableRow& row : item.rows) {
    Words cells{latex(row.title)};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (with_paper[i]) cells.push_back(latex_of_paper(row.cells[i], item.plan.columns[i]));
      cells.push_back(latex_of_ours(row.cells[i], item.plan.columns[i]));
    }
    text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

bool has_numbers(const ItemReport& item) { return !item.plan.columns.empty() && item.finished > 0; }

}  // namespace

std::string as_csv(const Report& report) {
  std::string text = csv_line({"item", "row", "title", "column", "mean", "deviation", "seeds", "values", "paper_mean",
                               "paper_deviation", "budget", "equal", "steps", "core_minutes", "megabytes"});
  for (const ItemReport& item : report.items) {
    for (const TableRow& row : item.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const Cell& cell = row.cells[i];
        if (cell.seeds.empty()) continue;
        const auto paper_deviation = cell.paper ? cell.paper->deviation : std::nullopt;
        text += csv_line({item.plan.name, row.name, field(row.title), field(item.plan.columns[i].title),
                          field(cell.mean), field(cell.deviation), fmt::format("{}", cell.seeds.size()),
                          fmt::format("{}", fmt::join(cell.seeds, " ")),
                          field(cell.paper ? std::optional(cell.paper->mean) : std::nullopt), field(paper_deviation),
                          item.choice.budget, to_text(item.choice.equal), field(row.steps),
                          field(row.processor_minutes), field(row.megabytes)});
      }
    }
  }
  return text;
}

std::string curves_as_csv(const Report& report) {
  std::string text = csv_line({"item", "figure", "curve", "x_label", "x", "y_label", "y", "deviation", "seeds"});
  for (const ItemReport& item : report.items) {
    for (const Curves& figure : item.figures) {
      for (const Curve& curve : figure.curves) {
        for (const CurvePoint& point : curve.points) {
          text += csv_line({item.plan.name, field(figure.title), field(curve.name), field(figure.x_label),
                            field(point.x), field(figure.y_label), field(mean_of(point.y)),
                            field(deviation_of(point.y)), fmt::format("{}", point.y.size())});
        }
      }
    }
  }
  return text;
}

std::string as_latex(const Report& report) {
  std::string text = fmt::format("% By cmanp {}. Needs \\usepackage{{booktabs,graphicx}}.\n", report.version);
  for (const ItemReport& item : report.items) {
    for (const Curves& figure : item.figures) {
      if (figure.pdf.empty()) continue;
      text += fmt::format(
          "\n\\begin{{figure}}\n\\centering\n\\includegraphics[width=\\linewidth]{{{}}}\n\\caption{{{}}}\n"
          "\\label{{fig:{}}}\n\\end{{figure}}\n",
          figure.pdf.filename().string(), latex(figure.title), figure.pdf.stem().string());
    }
    if (!has_numbers(item)) continue;
    text += fmt::format(
        "\n\\begin{{table}}\n\\caption{{{}. {} Budget {}, equal {}: {} of {} jobs done.}}\n\\label{{tab:{}}}\n"
        "\\centering\n{}\\end{{table}}\n",
        latex(item.plan.title), latex(item.plan.measure), item.choice.budget, to_text(item.choice.equal), item.finished,
        item.jobs, item.plan.name, latex_table(item));
  }
  return text;
}

}  // namespace cmanp::experiments
