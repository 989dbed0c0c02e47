// How a trainer begins, saves and goes on.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <utility>

#include "training/distributed/share.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/fresh_model.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/trainer.hpp"

namespace cmanp::training {

namespace fs = std::filesystem;

Trainer::Trainer(const Settings& settings, fs::path folder, bool resume, Group group)
    : settings_(settings),
      folder_(std::move(folder)),
      group_(std::move(group)),
      task_(make_task(settings)),
      step_(settings, group_) {
  share_of(settings_.batch, group_.rank(), group_.size());  // there must be one
  if (group_.first()) open_folder(resume);
  follow_first();
}

void Trainer::open_folder(bool resume) {
  lock_.emplace(folder_);
  const auto checkpoint = runs::checkpoint_to_resume(folder_, resume);
  if (checkpoint) {
    restore(*checkpoint);
    recall_evaluations();
  }
  runs::write_settings_file(folder_ / runs::kSettingsFile, to_json(settings_));
  metrics_ = std::make_unique<runs::MetricsFile>(folder_ / runs::kMetricsFile, progress_.step);
  if (!checkpoint) {
    if (!settings_.start.empty()) {
      take_weights(step_.model(), settings_.start);
      step_.optimiser().restart_average();
    }
    save();  // there is one from the first moment on
  }
}

void Trainer::restore(const fs::path& path) {
  const Checkpoint checkpoint = load_checkpoint(path);
  check_resumable(checkpoint.settings, to_json(settings_), folder_.string());
  const std::string name = path.string();
  step_.optimiser().restore(checkpoint, name);
  carry_on(checkpoint.step, checkpoint.progress, name);
}

// Every process stands where rank 0 does; its folder may be on rank 0's machine alone.
void Trainer::follow_first() {
  if (group_.size() == 1) return;
  for (const torch::Tensor& tensor : step_.optimiser().tensors()) group_.take_from_first(tensor);
  const nlohmann::ordered_json own{{"step", progress_.step}, {"carried", carried()}};
  const auto firsts = nlohmann::ordered_json::parse(group_.take_from_first(own.dump()));
  if (!group_.first()) carry_on(firsts["step"].get<std::int64_t>(), firsts["carried"], "rank 0's state");
}

nlohmann::ordered_json Trainer::carried() const {
  nlohmann::ordered_json result{{"loss_sum", loss_sum_}, {"loss_count", loss_count_}, {"loss", progress_.loss}};
  result["log_likelihood"] = nullptr;
  if (progress_.log_likelihood) result["log_likelihood"] = *progress_.log_likelihood;
  return result;
}

void Trainer::carry_on(std::int64_t step, const nlohmann::ordered_json& carried, const std::string& where) {
  try {
    progress_.step = saved_step_ = step;
    loss_sum_ = carried.at("loss_sum").get<double>();
    loss_count_ = carried.at("loss_count").get<std::int64_t>();
    progress_.loss = carried.at("loss").get<double>();
    const auto& score = carried.at("log_likelihood");
    if (!score.is_null()) progress_.log_likelihood = score.get<double>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
  if (progress_.step > settings_.steps) throw Error(fmt::format("{}: is beyond the last step", where));
}

// An evaluation that was told to stop, or made up for after its step was saved, shows in the metrics alone.
void Trainer::recall_evaluations() {
  progress_.evaluation_due = evaluates_here();
  for (const auto& line : runs::read_metrics(folder_ / runs::kMetricsFile, progress_.step)) {
    if (!line.contains("log_likelihood")) continue;
    if (line["log_likelihood"].is_number()) progress_.log_likelihood = line["log_likelihood"].get<double>();
    if (line["step"] == progress_.step) progress_.evaluation_due = false;
  }
}

void Trainer::save() {
  Checkpoint checkpoint;
  checkpoint.step = progress_.step;
  checkpoint.settings = to_json(settings_);
  checkpoint.progress = carried();
  step_.optimiser().save_to(checkpoint);
  save_checkpoint(runs::checkpoint_folder(folder_), checkpoint);
  saved_step_ = progress_.step;
  saved_at_ = std::chrono::steady_clock::now();
}

}  // namespace cmanp::training
