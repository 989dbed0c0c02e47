// How a run begins and goes on.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <cmath>
#include <utility>

#include "files/json.hpp"
#include "runs/run.hpp"
#include "runs/settings_file.hpp"

namespace cmanp::runs {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

Run::Run(Problem& problem, fs::path folder, Opening opening)
    : problem_(problem), plan_(problem.plan()), settings_(problem.settings()), folder_(std::move(folder)) {
  if (problem_.companions().first()) open(opening);
  follow_first();
}

void Run::open(const Opening& opening) {
  if (opening.resume == Resume::yes) checkpoint_of(folder_);  // no folder is made for a run that is not there
  lock_.emplace(folder_);
  const auto checkpoint = checkpoint_to_resume(folder_, opening.resume);
  if (checkpoint) {
    restore(*checkpoint, opening);
    recall_evaluations();
  }
  write_settings_file(folder_ / kSettingsFile, settings_);
  metrics_ = std::make_unique<MetricsFile>(folder_ / kMetricsFile, progress_.step);
  if (!checkpoint) {
    problem_.start();
    save();  // there is one from the first moment on
    progress_.evaluation_due = evaluates_here();
  }
}

void Run::restore(const fs::path& checkpoint, const Opening& opening) {
  const RunState state = read_state(checkpoint);
  Json before = state.settings;
  // Other steps stand in the settings from the moment on that they were told, in checkpoints from the next one on.
  const fs::path file = folder_ / kSettingsFile;
  const Json told = opening.other_steps ? settings_ : fs::exists(file) ? read_settings_file(file) : before;
  if (told.contains("steps")) before["steps"] = told["steps"];
  problem_.check_resumable(before, folder_.string());
  problem_.restore(checkpoint);
  progress_ = parse_progress(state, checkpoint.string());
  saved_step_ = progress_.step;
  if (progress_.step > plan_.steps) {
    throw Error(fmt::format("{}: step {} is done already, beyond the last of {}", checkpoint.string(), progress_.step,
                            plan_.steps));
  }
  take_steps_from(state);
}

// Keeps a record of the numbers of steps that the learning rate went by before.
void Run::take_steps_from(const RunState& before) {
  const Json& own = before.settings;
  std::string record;
  if (own.contains(kExtended) && own[kExtended].is_string()) record = own[kExtended].get<std::string>();
  if (own.contains("steps") && own["steps"] != settings_["steps"] && before.step > 0) {
    record += fmt::format("{}{} steps until step {}", record.empty() ? "" : ", ", own["steps"].dump(), before.step);
  }
  settings_[kExtended] = record;
}

// An evaluation that was made up for after its step was saved shows in the metrics alone.
void Run::recall_evaluations() {
  for (const Json& line : read_metrics(folder_ / kMetricsFile, progress_.step)) {
    const auto at = line["step"].get<std::int64_t>();
    if (at <= progress_.evaluated_step || !line.contains("log_likelihood")) continue;
    const Json& result = line["log_likelihood"];
    const double log_likelihood = result.is_number() ? result.get<double>() : std::nan("");
    const bool best = progress_.add_evaluation(at, log_likelihood);
    if (best && at == progress_.step) problem_.keep_best(folder_, state(), log_likelihood);
  }
  progress_.evaluation_due = evaluates_here() && progress_.evaluated_step != progress_.step;
  gave_up_ = out_of_patience();
}

// Every process stands where the first does; the folder may be on its machine alone.
void Run::follow_first() {
  const Companions& all = problem_.companions();
  problem_.follow_first();
  const Json own{{"step", progress_.step}, {"progress", to_json(progress_)}};
  const auto firsts = files::parse_json(all.take_from_first(own.dump()), "rank 0's state");
  if (all.first()) return;
  progress_ = parse_progress({firsts["step"].get<std::int64_t>(), {}, firsts["progress"]}, "rank 0's state");
  saved_step_ = progress_.step;
}

}  // namespace cmanp::runs
