#include "cli_train/reproduce_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>

#include "files/json.hpp"
#include "runs/metrics.hpp"
#include "runs/run_files.hpp"

namespace cmanp::cli_train {
namespace {

using experiments::Job;

constexpr auto kBetweenLooks = std::chrono::seconds(1);
constexpr double kGrain = 1000;  // of the bar, a minute of training

// Minutes; one that trains nothing, or by steps, counts as one.
double weight(const Job& job) { return job.training_minutes > 0 ? job.training_minutes : 1; }

std::uint64_t grains(double minutes) { return static_cast<std::uint64_t>(kGrain * std::max(0.0, minutes)); }

// 0 to 1: of the steps that its run is to have. 0 where there is no run, or none yet.
double share_of(const Job& job) {
  try {
    const std::filesystem::path run = job.folder / "run";
    const auto lines = runs::read_metrics(run / runs::kMetricsFile, std::numeric_limits<std::int64_t>::max());
    if (lines.empty()) return 0;
    const double steps = files::read_json(run / runs::kSettingsFile).value("steps", 0.0);
    return steps > 0 ? std::min(1.0, lines.back().value("step", 0.0) / steps) : 0;
  } catch (const std::exception&) {  // it is being written: the next look will see
    return 0;
  }
}

// Of those that are to be done; of none where nobody will see a bar.
std::map<std::string, double> shares_of(const std::vector<Job>& jobs) {
  std::map<std::string, double> shares;
  if (!cli::ProgressBar::can_be_shown()) return shares;
  for (const Job& job : jobs) {
    if (state_of(job) == experiments::JobState::to_do) shares[job.name] = share_of(job);
  }
  return shares;
}

// What is left to do of jobs that have such a share.
double left_of(const std::vector<Job>& jobs, const std::map<std::string, double>& shares) {
  double sum = 0;
  for (const Job& job : jobs) {
    if (const auto share = shares.find(job.name); share != shares.end()) sum += weight(job) * (1 - share->second);
  }
  return sum;
}

}  // namespace

ReproduceBar::ReproduceBar(const std::vector<Job>& jobs)
    : before_(shares_of(jobs)), bar_("jobs", grains(left_of(jobs, before_)), "") {}

void ReproduceBar::look(const std::vector<const Job*>& at_work) {
  if (!bar_.is_shown()) return;
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  double done = ended_;
  std::string names;
  for (const Job* job : at_work) {
    const double share = share_of(*job);
    done += weight(*job) * (share - before_.at(job->name));
    names += fmt::format(", {} {:.0f} %", job->name, 100 * share);
  }
  bar_.update(grains(done), 0, names);
}

void ReproduceBar::ended(const Job& job) {
  if (bar_.is_shown()) ended_ += weight(job) * (1 - before_.at(job.name));
}

}  // namespace cmanp::cli_train
