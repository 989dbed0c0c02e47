#include "cli/judgements.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace cmanp::cli {
namespace {

using measures::Judgement;
using measures::kLevels;
using measures::Measured;
using nlohmann::ordered_json;

ordered_json with_error(const Measured& measured) {
  return {{"value", measured.value}, {"standard_error", measured.standard_error}};
}

int percent(const measures::Level& level) { return static_cast<int>(100 * level.probability + 0.5); }

// Names as columns of a table, and what they name.
std::vector<std::pair<std::string, Measured>> named(const Judgement& judgement) {
  std::vector<std::pair<std::string, Measured>> all{
      {"rmse", judgement.rmse}, {"mae", judgement.mae}, {"crps", judgement.crps}};
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    all.emplace_back(fmt::format("coverage{}", percent(kLevels[i])), judgement.bands[i].coverage);
    all.emplace_back(fmt::format("width{}", percent(kLevels[i])), judgement.bands[i].width);
  }
  for (std::size_t i = 0; i < judgement.pit.size(); ++i)
    all.emplace_back(fmt::format("pit{}", i + 1), judgement.pit[i]);
  return all;
}

}  // namespace

ordered_json json_of(const Judgement& judgement) {
  ordered_json result{
      {"rmse", with_error(judgement.rmse)}, {"mae", with_error(judgement.mae)}, {"crps", with_error(judgement.crps)}};
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    result["bands"].push_back({{"level", kLevels[i].probability},
                               {"coverage", with_error(judgement.bands[i].coverage)},
                               {"width", with_error(judgement.bands[i].width)}});
  }
  for (const Measured& share : judgement.pit) result["pit"].push_back(with_error(share));
  return result;
}

std::string csv_names() {
  std::string names;
  for (const auto& [name, measured] : named({})) names += fmt::format(",{},{}_error", name, name);
  return names;
}

std::string csv_values(const Judgement& judgement) {
  std::string values;
  for (const auto& [name, measured] : named(judgement)) {
    fmt::format_to(std::back_inserter(values), ",{},{}", measured.value, measured.standard_error);
  }
  return values;
}

std::string table_of(const Judgement& judgement) {
  std::string table = fmt::format("{:<24} {:>12} {:>12}\n", "measure", "value", "std error");
  const auto add = [&](const std::string& name, const Measured& measured) {
    fmt::format_to(std::back_inserter(table), "{:<24} {:>12.4g} {:>12.2g}\n", name, measured.value,
                   measured.standard_error);
  };
  add("log-likelihood a point", judgement.log_likelihood);
  add("RMSE", judgement.rmse);
  add("MAE", judgement.mae);
  add("CRPS", judgement.crps);
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    add(fmt::format("inside the {} % band", percent(kLevels[i])), judgement.bands[i].coverage);
    add(fmt::format("width of the {} % band", percent(kLevels[i])), judgement.bands[i].width);
  }
  const auto bins = static_cast<double>(judgement.pit.size());
  for (std::size_t i = 0; i < judgement.pit.size(); ++i) {
    add(fmt::format("PIT {:.1f} to {:.1f}", static_cast<double>(i) / bins, static_cast<double>(i + 1) / bins),
        judgement.pit[i]);
  }
  return table;
}

}  // namespace cmanp::cli
