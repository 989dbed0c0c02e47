#include "cli/inspect_run.hpp"

#include <cmanp/error.hpp>
#include <optional>
#include <string>

#include "cli/model_summary.hpp"
#include "files/json.hpp"
#include "files/safetensors.hpp"
#include "runs/metrics.hpp"
#include "runs/run_files.hpp"

namespace cmanp::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json entry(const Json& object, const char* key) { return object.contains(key) ? object[key] : Json(); }

// Evaluations up to a step, out of the run's metrics.
Json evaluations(const fs::path& run, std::int64_t step) {
  Json found = Json::array();
  for (const Json& line : runs::read_metrics(run / runs::kMetricsFile, step)) {
    if (!line.contains("log_likelihood")) continue;
    found.push_back({{"step", line["step"]},
                     {"log_likelihood", line["log_likelihood"]},
                     {"standard_error", entry(line, "standard_error")}});
  }
  return found;
}

// Of which step the weights are that a run answers by, where these need not be the last.
void describe_kept(const fs::path& checkpoint, Json& description) {
  if (!fs::exists(checkpoint / runs::kBestFile)) return;
  const auto kept = files::Safetensors::open(checkpoint / runs::kBestFile);
  for (const char* const name : {"step", "log_likelihood"}) {
    const auto found = kept.metadata().find(name);
    const auto number = found == kept.metadata().end() ? std::nullopt : files::try_parse_json(found->second);
    if (number && number->is_number()) description[std::string("kept_") + name] = *number;
  }
}

Json describe_checkpoint(const fs::path& checkpoint) {
  const runs::RunState state = runs::read_state(checkpoint);
  const auto weights = files::Safetensors::open(checkpoint / runs::kWeightsFile);
  const Json evaluated = evaluations(checkpoint.parent_path().parent_path(), state.step);
  const Json& last = evaluated.empty() ? state.progress : evaluated.back();
  Json description{{"checkpoint", checkpoint.string()},
                   {"task", entry(state.settings, "task")},
                   {"model", entry(state.settings, "model")},
                   {"parameters", count_parameters(weights)},
                   {"step", state.step},
                   {"steps", entry(state.settings, "steps")},
                   {"loss", entry(state.progress, "loss")},
                   {"log_likelihood", entry(last, "log_likelihood")}};
  describe_kept(checkpoint, description);
  description["evaluations"] = evaluated;
  description["settings"] = state.settings;
  return description;
}

}  // namespace

Json describe_run(const fs::path& folder) {
  if (fs::exists(folder / runs::kStateFile)) return describe_checkpoint(fs::canonical(folder));
  for (;;) {
    const fs::path checkpoint = runs::checkpoint_of(folder);
    try {
      return describe_checkpoint(checkpoint);
    } catch (const Error&) {
      // A run that is at work replaces its checkpoint: the next one is as good.
      if (runs::checkpoint_of(folder) == checkpoint) throw;
    }
  }
}

}  // namespace cmanp::cli
