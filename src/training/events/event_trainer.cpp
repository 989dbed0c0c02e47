#include "training/events/event_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>
#include <cmath>
#include <ctime>
#include <utility>

#include "runs/learning_curve.hpp"
#include "runs/run_files.hpp"
#include "runs/schedule.hpp"
#include "training/events/evaluate.hpp"
#include "training/tasks/random.hpp"
#include "training/trainer/checkpoint.hpp"
#include "training/trainer/threads.hpp"

namespace cmanp::training::events {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<double> number_or_none(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

// So many of `count` places, in order; all where the share is 1.
torch::Tensor pick_share(std::int64_t count, double share, std::uint64_t seed, std::int64_t step) {
  if (share >= 1 || count == 0) return torch::arange(count);
  Random random(seed, Stream::model, static_cast<std::uint64_t>(step));
  std::vector<std::int64_t> picked;
  for (std::int64_t i = 0; i < count; ++i) {
    if (random.uniform() < share) picked.push_back(i);
  }
  if (picked.empty()) picked.push_back(random.integer(0, count));
  return torch::tensor(picked);
}

std::shared_ptr<EventNetwork> fresh_network(const EventSettings& settings, const EventParts& parts) {
  NetworkShape shape = settings.shape;
  shape.marks = static_cast<std::int64_t>(parts.mark_names.size());
  return make_network(settings.model, shape, static_cast<std::uint64_t>(settings.seed));
}

OptimiserSettings optimiser_settings(const EventSettings& settings) {
  return {.muon = settings.optimiser == "muon",
          .adam = {.weight_decay = settings.weight_decay, .decoupled = true},
          .clip = settings.clip,
          .ema = settings.ema};
}

}  // namespace

EventTrainer::EventTrainer(const EventSettings& settings, fs::path folder, bool resume)
    : settings_(settings),
      folder_(std::move(folder)),
      parts_(load_parts(settings)),
      domain_(fit_domain(parts_, settings)),
      network_(fresh_network(settings, parts_)),
      optimiser_(*network_, optimiser_settings(settings)) {
  open_folder(resume);
}

void EventTrainer::open_folder(bool resume) {
  lock_.emplace(folder_);
  const auto checkpoint = runs::checkpoint_to_resume(folder_, resume);
  if (checkpoint) restore(*checkpoint);
  runs::write_settings_file(folder_ / runs::kSettingsFile, to_json(settings_));
  metrics_ = std::make_unique<runs::MetricsFile>(folder_ / runs::kMetricsFile, progress_.step);
  if (!checkpoint) save();
}

void EventTrainer::restore(const fs::path& path) {
  const Checkpoint checkpoint = load_checkpoint(path);
  check_event_run_resumable(checkpoint.settings, to_json(settings_), folder_.string());
  const std::string name = path.string();
  optimiser_.restore(checkpoint, name);
  try {
    const Json& carried = checkpoint.progress;
    progress_.step = saved_step_ = checkpoint.step;
    progress_.seconds = carried.at("seconds").get<double>();
    progress_.loss = carried.at("loss").get<double>();
    progress_.nll = number_or_none(carried.at("nll"));
    progress_.best_nll = number_or_none(carried.at("best_nll"));
    progress_.best_step = carried.at("best_step").get<std::int64_t>();
    progress_.without_gain = carried.at("without_gain").get<std::int64_t>();
    loss_sum_ = carried.at("loss_sum").get<double>();
    loss_count_ = carried.at("loss_count").get<std::int64_t>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

void EventTrainer::save() {
  Checkpoint checkpoint;
  checkpoint.step = progress_.step;
  checkpoint.settings = to_json(settings_);
  checkpoint.progress = {{"seconds", progress_.seconds},
                         {"loss", progress_.loss},
                         {"nll", or_null(progress_.nll)},
                         {"best_nll", or_null(progress_.best_nll)},
                         {"best_step", progress_.best_step},
                         {"without_gain", progress_.without_gain},
                         {"loss_sum", loss_sum_},
                         {"loss_count", loss_count_}};
  optimiser_.save_to(checkpoint);
  save_checkpoint(runs::checkpoint_folder(folder_), checkpoint);
  saved_step_ = progress_.step;
}

bool EventTrainer::finished() const {
  return progress_.step >= settings_.steps || (settings_.minutes > 0 && progress_.seconds >= 60 * settings_.minutes) ||
         (settings_.patience > 0 && progress_.without_gain >= settings_.patience);
}

// Its steps end the run, or its time, whichever is nearer to its end.
double EventTrainer::rate() const {
  double done = static_cast<double>(progress_.step) / static_cast<double>(settings_.steps);
  if (settings_.minutes > 0) done = std::max(done, progress_.seconds / (60 * settings_.minutes));
  const runs::Schedule schedule{settings_.schedule, settings_.lr, settings_.warmup, settings_.steps};
  return schedule.at(progress_.step, std::min(done, 1.0));
}

void EventTrainer::train_step(const std::vector<const Sequence*>& sequences) {
  const EventBatch batch = make_batch(sequences, domain_, settings_.window(), settings_.shape.recent_marks);
  network_->train();
  torch::manual_seed(mix_seed(static_cast<std::uint64_t>(settings_.seed), Stream::model,
                              static_cast<std::uint64_t>(progress_.step)));  // dropout's
  torch::Tensor gradients = optimiser_.parameters().gradients();
  gradients.zero_();
  const torch::Tensor loss = event_loss(*network_, batch,
                                        pick_share(batch.rows.numel(), settings_.prefix_share,
                                                   static_cast<std::uint64_t>(settings_.seed), progress_.step));
  if (loss.defined()) {
    loss.backward();
    const double value = loss.item<double>(), norm = gradients.norm().item<double>();
    if (!std::isfinite(value) || !std::isfinite(norm)) {
      throw Error(fmt::format("the {} is no longer a number at step {} (learning rate {:.3g}); try a lower lr or clip",
                              std::isfinite(value) ? "gradient" : "loss", progress_.step + 1, rate()));
    }
    optimiser_.step(norm, rate(), progress_.step);
    loss_sum_ += value;
    progress_.loss = loss_sum_ / static_cast<double>(++loss_count_);
  }
  ++progress_.step;
}

EventProgress EventTrainer::run(const EventTrainerCalls& calls) {
  use_threads(settings_.threads);
  std::vector<std::vector<const Sequence*>> plan;
  std::int64_t epoch = -1, begin = 0;
  const auto next = [&]() -> const std::vector<const Sequence*>& {
    // Epochs differ in their number of batches: a resumed run counts through those that are done.
    while (epoch < 0 || progress_.step - begin >= static_cast<std::int64_t>(plan.size())) {
      begin += epoch < 0 ? 0 : static_cast<std::int64_t>(plan.size());
      plan = plan_epoch(parts_.train, settings_.batch_events, static_cast<std::uint64_t>(settings_.seed),
                        static_cast<std::uint64_t>(++epoch));
    }
    return plan[static_cast<std::size_t>(progress_.step - begin)];
  };
  while (!finished() && !calls.should_stop()) {
    auto since = std::clock();
    const auto spend = [&] {
      const auto now = std::clock();
      progress_.seconds += static_cast<double>(now - std::exchange(since, now)) / CLOCKS_PER_SEC;
    };
    train_step(next());
    spend();
    if (progress_.step % settings_.log_every == 0 || finished()) report();
    if (progress_.step % settings_.eval_every == 0 || finished()) evaluate_now();
    spend();
    if (progress_.step % settings_.save_every == 0) save();
    calls.stepped(progress_);
  }
  if (saved_step_ != progress_.step) save();
  runs::draw_run(folder_, fmt::format("{} on events", settings_.model), progress_.step, calls.note);
  return progress_;
}

void EventTrainer::report() {
  metrics_->append(
      {{"step", progress_.step}, {"loss", progress_.loss}, {"lr", rate()}, {"seconds", progress_.seconds}});
  loss_sum_ = 0;
  loss_count_ = 0;
}

void EventTrainer::evaluate_now() {
  const torch::NoGradGuard no_grad;
  const AveragedWeights averaged = optimiser_.use_averaged();
  progress_.nll = evaluate_nll(*network_, parts_.validation, domain_, settings_.window());
  if (!progress_.best_nll || *progress_.nll < *progress_.best_nll) {
    progress_.best_nll = progress_.nll;
    progress_.best_step = progress_.step;
    progress_.without_gain = 0;
    save_best(folder_, {network_, settings_, domain_, progress_.step, *progress_.nll});
  } else {
    ++progress_.without_gain;
  }
  metrics_->append({{"step", progress_.step}, {"log_likelihood", -*progress_.nll}, {"seconds", progress_.seconds}});
}

}  // namespace cmanp::training::events
