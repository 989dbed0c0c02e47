#include "experiments/jobs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmanp/error.hpp>
#include <set>
#include <sstream>

#include "base/suggest.hpp"
#include "experiments/placeholders.hpp"
#include "experiments/results.hpp"
#include "files/json.hpp"
#include "files/quote.hpp"

namespace cmanp::experiments {
namespace {

double minutes_of(const Plan& plan, const Row& row, const Choice& choice) {
  return plan.budgets.at(choice.budget).minutes.value_or(0) * row.share;
}

Words budget_words(const Plan& plan, const Row& row, const Choice& choice) {
  const Budget& budget = plan.budgets.at(choice.budget);
  if (choice.equal == Equal::time) {
    if (budget.minutes) return {"--minutes", fmt::format("{}", minutes_of(plan, row, choice))};
    throw Error(fmt::format("{}: budget {} has no minutes; take --equal steps", file_of(plan), choice.budget));
  }
  if (budget.steps) return {"--steps", fmt::format("{}", *budget.steps)};
  throw Error(fmt::format("{}: budget {} has no steps; take --equal time", file_of(plan), choice.budget));
}

constexpr std::size_t kDeepest = 3;  // values within values

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// The commands, once for each of the values that they are to be run with.
struct Step {
  const Command* command;
  Origin origin;
  Words value;  // of `each`
};

// Without what trains, where the run is another job's.
std::vector<Step> steps_of(const Plan& plan, const Row& row, const std::map<std::string, Words>& values) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < plan.commands.size(); ++i) {
    const Command& command = plan.commands[i];
    if (!row.trained.empty() && trains(command)) continue;
    if (command.each.empty()) {
      steps.push_back({&command, {i}, {}});
      continue;
    }
    for (const std::string& part : parts_of(fmt::format("{}", fmt::join(values.at(command.each), " ")))) {
      steps.push_back({&command, {i, {{command.each, as_json(part)}}}, {part}});
    }
  }
  return steps;
}

Job make_job(const Plan& plan, const Row& row, std::int64_t seed, const Choice& choice) {
  Job job{.name = fmt::format("{}/{}/{}", plan.name, row.name, seed),
          .item = plan.name,
          .row = row.name,
          .seed = seed,
          .folder = choice.out / plan.name / row.name / std::to_string(seed),
          .commands = {},
          .recorded = {},
          .cannot = row.left_out};
  for (const Picture& picture : plan.pictures) job.pictures.push_back(picture.file);
  std::map<std::string, Words> values{
      {"run", {"run"}}, {"seed", {std::to_string(seed)}}, {"plans", {"{plans}"}}, {"budget", {}}};
  if (!row.trained.empty()) {
    job.after = fmt::format("{}/{}", row.trained, seed);
    job.after_folder = choice.out / row.trained / std::to_string(seed);
    values["run"] = {fmt::format("../../../{}/run", job.after)};  // from this job's folder
  }
  if (std::any_of(plan.commands.begin(), plan.commands.end(), trains)) {
    values["budget"] = budget_words(plan, row, choice);
    if (choice.equal == Equal::time && row.trained.empty()) job.training_minutes = minutes_of(plan, row, choice);
  }
  for (const Values* given :  // a budget may change a row
       {&plan.values, &row.values, &plan.budgets.at(choice.budget).values}) {
    for (const auto& [key, value] : *given) values[key] = words_of(value);
  }
  for (std::size_t depth = 0; depth < kDeepest; ++depth) {
    for (auto& [key, words] : values) {
      if (key != "plans") words = filled_in(words, values);  // a value may be another: {few}
    }
  }
  for (const auto& [key, words] : values) {
    for (const std::string& name : placeholders_in(words)) {
      if (name == "plans") continue;
      throw Error(fmt::format("{}: row {}: the value {} is made of itself, or of values more than {} deep",
                              file_of(plan), row.name, key, kDeepest));
    }
  }
  for (const auto& [need, hint] : plan.needs) values[need] = {fmt::format("{{{}}}", need)};
  const std::vector<Step> steps = steps_of(plan, row, values);
  const auto fill_in = [&](std::vector<Words>& commands) {
    for (const Step& step : steps) {
      if (!step.command->each.empty()) values[step.command->each] = step.value;
      commands.push_back(filled_in(step.command->words, values));
    }
  };
  for (const Step& step : steps) job.origins.push_back(step.origin);
  fill_in(job.recorded);
  for (const auto& [need, hint] : plan.needs) {
    const auto found = choice.data.find(need);
    if (found != choice.data.end()) {
      const std::filesystem::path place = std::filesystem::absolute(found->second).lexically_normal();
      values[need] = {place.string()};
      job.data[need] = (place.has_filename() ? place : place.parent_path()).filename().string();
    } else if (job.cannot.empty()) {
      job.cannot = fmt::format("needs --data {}=…: {}", need, hint);
    }
  }
  values["plans"] = {std::filesystem::absolute(plan.folder).string()};
  fill_in(job.commands);
  return job;
}

}  // namespace

const char* to_text(Equal equal) { return equal == Equal::time ? "time" : "steps"; }

std::vector<Job> jobs_of(const Plan& plan, const Choice& choice) {
  std::vector<Job> jobs;
  for (const Row& row : plan.rows) {
    const auto own = row.seeds.find(choice.budget);
    const std::int64_t seeds = own != row.seeds.end() ? own->second : plan.budgets.at(choice.budget).seeds;
    for (std::int64_t seed = 0; seed < seeds; ++seed) {
      jobs.push_back(make_job(plan, row, seed, choice));
    }
  }
  return jobs;
}

JobState state_of(const Job& job) {
  if (is_finished(job.folder)) return JobState::finished;
  return job.cannot.empty() ? JobState::to_do : JobState::cannot;
}

Extent extent_of(const std::vector<Job>& jobs) {
  Extent extent;
  for (const Job& job : jobs) {
    switch (state_of(job)) {
      case JobState::finished:
        ++extent.finished;
        break;
      case JobState::cannot:
        ++extent.cannot;
        break;
      case JobState::to_do:
        ++extent.jobs;
        extent.training_minutes += job.training_minutes;
        break;
    }
  }
  return extent;
}

std::string to_text(const Extent& extent) {
  std::string text = fmt::format("{} job{}", extent.jobs, extent.jobs == 1 ? "" : "s");
  const double minutes = extent.training_minutes;
  if (minutes > 0) {
    text += minutes < 60 ? fmt::format(", {:.3g} core-minutes of training", minutes)
                         : fmt::format(", {:.1f} core-hours of training", minutes / 60);
  }
  if (extent.finished > 0) text += fmt::format("; {} were done before", extent.finished);
  if (extent.cannot > 0) text += fmt::format("; {} cannot be run here", extent.cannot);
  return text;
}

nlohmann::ordered_json as_json(const std::string& value) {
  double number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc() || end != value.data() + value.size() || value.empty()) return value;
  return number;
}

std::vector<Job> chosen(const std::vector<Job>& jobs, const std::vector<std::string>& wanted) {
  const auto in_order_of_use = [](std::vector<Job> list) {
    std::stable_sort(list.begin(), list.end(), [](const Job& a, const Job& b) {
      return std::pair(a.seed, !a.after.empty()) < std::pair(b.seed, !b.after.empty());
    });
    return list;
  };
  if (wanted.empty()) return in_order_of_use(jobs);
  const auto belongs = [](const Job& job, const std::string& name) {
    return job.name == name || job.name.starts_with(name + "/");
  };
  for (const std::string& name : wanted) {
    if (std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return belongs(job, name); })) continue;
    std::vector<std::string> known;
    for (const Job& job : jobs) {
      for (const std::string& prefix : {job.item, job.item + "/" + job.row}) {
        if (std::find(known.begin(), known.end(), prefix) == known.end()) known.push_back(prefix);
      }
    }
    const std::string near = base::nearest(name, known);
    throw Error(fmt::format("no job is named {} (`cmanp reproduce list` has all){}", files::quote(name),
                            near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  const auto is_wanted = [&](const Job& job) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return belongs(job, name); });
  };
  std::set<std::string> needed;
  for (const Job& job : jobs) {
    if (is_wanted(job)) needed.insert(job.after);
  }
  std::vector<Job> result;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(result),
               [&](const Job& job) { return is_wanted(job) || needed.contains(job.name); });
  return in_order_of_use(std::move(result));
}

nlohmann::ordered_json identity_of(const Job& job, const std::string& version) {
  return {{"job", job.name}, {"version", version}, {"commands", job.recorded}};
}

std::vector<std::string> what_differs(const Job& job, const std::string& version) {
  const std::filesystem::path path = job.folder / "job.json";
  std::error_code ignored;
  std::vector<std::string> parts;
  if (!std::filesystem::exists(path, ignored)) return parts;
  const nlohmann::ordered_json before = files::read_json(path), now = identity_of(job, version);
  for (const auto& [key, value] : now.items()) {
    if (!before.is_object() || before.value(key, nlohmann::ordered_json()) != value) parts.push_back(key);
  }
  return parts;
}

}  // namespace cmanp::experiments
