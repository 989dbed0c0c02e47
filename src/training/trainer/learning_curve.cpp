#include "training/trainer/learning_curve.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmanp/error.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string_view>

namespace cmanp::training {
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

// In single quotes, gnuplot reads nothing but the quote itself, doubled.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string panel(const std::string& label, const std::string& rows, std::string_view style) {
  return fmt::format("set ylabel {}\n$rows << END\n{}END\nplot $rows using 1:2 with {} notitle\n", in_quotes(label),
                     rows, style);
}

}  // namespace

bool can_draw() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / "gnuplot").c_str(), X_OK) == 0) return true;
  }
  return false;
}

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
  const fs::path aside = picture.string() + ".unfinished";
  std::string script = fmt::format(
      "set terminal png size 900,{}\nset output {}\nset grid\nset xrange [0:*]\nset multiplot layout {},1\n",
      100 + 350 * panels.size(), in_quotes(aside.string()), panels.size());
  script += fmt::format("set title {} noenhanced\n", in_quotes(title));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (i + 1 == panels.size()) script += "set xlabel 'steps'\n";
    script += panels[i] + "unset title\n";
  }
  std::unique_ptr<FILE, int (*)(FILE*)> gnuplot(::popen("gnuplot 2> /dev/null", "w"),
                                                ::pclose);  // it warns of curves of one point
  if (!gnuplot) throw Error("cannot start gnuplot");
  std::fputs(script.c_str(), gnuplot.get());
  if (::pclose(gnuplot.release()) != 0) throw Error(fmt::format("gnuplot could not draw {}", picture.string()));
  std::error_code error;
  fs::rename(aside, picture, error);
  if (error) throw Error(fmt::format("cannot write {}: {}", picture.string(), error.message()));
}

}  // namespace cmanp::training
