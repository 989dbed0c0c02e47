// How a trainer begins, saves and goes on.
#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <system_error>
#include <utility>

#include "training/trainer/checkpoint.hpp"
#include "training/trainer/fresh_model.hpp"
#include "training/trainer/run_folder.hpp"
#include "training/trainer/trainer.hpp"

namespace cmanp::training {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make folder {}: {}", folder.string(), error.message()));
}

}  // namespace

Trainer::Trainer(const Settings& settings, fs::path folder, bool resume)
    : settings_(settings), folder_(std::move(folder)), task_(make_task(settings)), step_(settings) {
  const auto checkpoint = latest_checkpoint(checkpoint_folder(folder_));
  if (checkpoint && !resume) {
    throw Error(
        fmt::format("{} holds a run already: go on with it by --resume, or choose another folder", folder_.string()));
  }
  make_folder(folder_);
  if (checkpoint) restore(*checkpoint);
  write_settings_file(folder_ / "settings.json", settings_);
  metrics_ = std::make_unique<MetricsFile>(folder_ / "metrics.jsonl", progress_.step);
  if (!checkpoint) {
    if (!settings_.start.empty()) {
      take_weights(step_.model(), settings_.start);
      if (step_.averaged().defined()) step_.averaged().copy_(step_.parameters().values());
    }
    save();  // there is one from the first moment on
  }
}

void Trainer::restore(const fs::path& path) {
  const Checkpoint checkpoint = load_checkpoint(path);
  check_resumable(checkpoint.settings, to_json(settings_), folder_.string());
  const std::string name = path.string();
  const FlatParameters& parameters = step_.parameters();
  copy_tensors(name, checkpoint.weights, parameters.named(parameters.values()));
  copy_tensors(name, checkpoint.first_moment, parameters.named(step_.adam().first_moment));
  copy_tensors(name, checkpoint.second_moment, parameters.named(step_.adam().second_moment));
  if (step_.averaged().defined()) copy_tensors(name, checkpoint.averaged, parameters.named(step_.averaged()));
  try {
    progress_.step = saved_step_ = checkpoint.step;
    loss_sum_ = checkpoint.progress.at("loss_sum").get<double>();
    loss_count_ = checkpoint.progress.at("loss_count").get<std::int64_t>();
    progress_.loss = checkpoint.progress.at("loss").get<double>();
    const auto& score = checkpoint.progress.at("log_likelihood");
    if (!score.is_null()) progress_.log_likelihood = score.get<double>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  if (progress_.step > settings_.steps) throw Error(fmt::format("{}: is beyond the last step", name));
}

void Trainer::save() {
  Checkpoint checkpoint;
  checkpoint.step = progress_.step;
  checkpoint.settings = to_json(settings_);
  checkpoint.progress = {{"loss_sum", loss_sum_}, {"loss_count", loss_count_}, {"loss", progress_.loss}};
  checkpoint.progress["log_likelihood"] = nullptr;
  if (progress_.log_likelihood) checkpoint.progress["log_likelihood"] = *progress_.log_likelihood;
  const FlatParameters& parameters = step_.parameters();
  checkpoint.weights = parameters.named(parameters.values());
  checkpoint.first_moment = parameters.named(step_.adam().first_moment);
  checkpoint.second_moment = parameters.named(step_.adam().second_moment);
  if (step_.averaged().defined()) checkpoint.averaged = parameters.named(step_.averaged());
  save_checkpoint(checkpoint_folder(folder_), checkpoint);
  saved_step_ = progress_.step;
  saved_at_ = std::chrono::steady_clock::now();
}

}  // namespace cmanp::training
