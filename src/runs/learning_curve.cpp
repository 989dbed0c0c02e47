#include "runs/learning_curve.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <string_view>

#include "plots/gnuplot.hpp"
#include "runs/metrics.hpp"
#include "runs/run_files.hpp"

namespace cmanp::runs {
namespace {

namespace fs = std::filesystem;

// "step value" lines of the metrics that have such a field.
std::string column(const std::vector<nlohmann::ordered_json>& metrics, const std::string& field) {
  std::string rows;
  for (const auto& line : metrics) {
    if (line.contains(field) && line[field].is_number()) {
      rows += fmt::format("{} {}\n", line["step"].get<std::int64_t>(), line[field].get<double>());
    }
  }
  return rows;
}

std::string panel(const std::string& label, const std::string& rows, std::string_view style) {
  return fmt::format("set ylabel {}\n$rows << END\n{}END\nplot $rows using 1:2 with {} notitle\n",
                     plots::in_quotes(label), rows, style);
}

}  // namespace

void draw_learning_curve(const fs::path& picture, const std::string& title,
                         const std::vector<nlohmann::ordered_json>& metrics) {
  std::vector<std::string> panels;
  if (const std::string loss = column(metrics, "loss"); !loss.empty()) {
    panels.push_back(panel("training loss", loss, "lines"));
  }
  if (const std::string scores = column(metrics, "log_likelihood"); !scores.empty()) {
    panels.push_back(panel("log-likelihood per point", scores, "linespoints pointtype 7"));
  }
  if (panels.empty()) return;
  std::string script = fmt::format("set grid\nset xrange [0:*]\nset multiplot layout {},1\n", panels.size());
  script += fmt::format("set title {}\n", plots::in_quotes(title));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (i + 1 == panels.size()) script += "set xlabel 'steps'\n";
    script += panels[i] + "unset title\n";
  }
  plots::draw(picture, {900, static_cast<int>(100 + 350 * panels.size())}, script + "unset multiplot\n");
}

void draw_run(const fs::path& run, const std::string& title, std::int64_t step,
              const std::function<void(const std::string&)>& note) {
  const fs::path picture = run / kCurveFile;
  if (!plots::can_draw()) {
    return note(fmt::format("no {}: gnuplot is not installed (Debian: gnuplot-nox)", picture.string()));
  }
  try {
    draw_learning_curve(picture, title, read_metrics(run / kMetricsFile, step));
  } catch (const Error& error) {
    note(error.what());
  }
}

}  // namespace cmanp::runs
