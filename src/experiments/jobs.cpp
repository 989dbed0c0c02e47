#include "experiments/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmanp/error.hpp>

#include "base/suggest.hpp"
#include "experiments/placeholders.hpp"
#include "files/quote.hpp"

namespace cmanp::experiments {
namespace {

Words budget_words(const Plan& plan, const Choice& choice) {
  const Budget& budget = plan.budgets.at(choice.budget);
  if (choice.equal == Equal::time) {
    if (budget.minutes) return {"--minutes", fmt::format("{}", *budget.minutes)};
    throw Error(fmt::format("{}: budget {} has no minutes; take --equal steps", plan.name, choice.budget));
  }
  if (budget.steps) return {"--steps", fmt::format("{}", *budget.steps)};
  throw Error(fmt::format("{}: budget {} has no steps; take --equal time", plan.name, choice.budget));
}

bool uses_budget(const Plan& plan) {
  return std::any_of(plan.commands.begin(), plan.commands.end(), [](const Words& command) {
    return std::find(command.begin(), command.end(), "{budget}") != command.end();
  });
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
  std::map<std::string, Words> values{{"run", {"run"}}, {"seed", {std::to_string(seed)}}};
  if (uses_budget(plan)) values["budget"] = budget_words(plan, choice);
  for (const Values* given : {&row.values, &plan.budgets.at(choice.budget).values}) {  // a budget may change a row
    for (const auto& [key, value] : *given) values[key] = {value};
  }
  for (const auto& [need, hint] : plan.needs) values[need] = {fmt::format("{{{}}}", need)};
  for (const Words& command : plan.commands) job.recorded.push_back(filled_in(command, values));
  for (const auto& [need, hint] : plan.needs) {
    const auto found = choice.data.find(need);
    if (found != choice.data.end()) {
      values[need] = {std::filesystem::absolute(found->second).string()};
    } else if (job.cannot.empty()) {
      job.cannot = fmt::format("needs --data {}=…: {}", need, hint);
    }
  }
  for (const Words& command : plan.commands) job.commands.push_back(filled_in(command, values));
  return job;
}

}  // namespace

std::vector<Job> jobs_of(const Plan& plan, const Choice& choice) {
  std::vector<Job> jobs;
  for (const Row& row : plan.rows) {
    for (std::int64_t seed = 0; seed < plan.budgets.at(choice.budget).seeds; ++seed) {
      jobs.push_back(make_job(plan, row, seed, choice));
    }
  }
  return jobs;
}

std::vector<Job> chosen(const std::vector<Job>& jobs, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return jobs;
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
    throw Error(fmt::format("no job is named {}{}; `cmanp reproduce list` has all", files::quote(name),
                            near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  std::vector<Job> result;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(result), [&](const Job& job) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return belongs(job, name); });
  });
  return result;
}

nlohmann::ordered_json identity_of(const Job& job, const std::string& version) {
  return {{"job", job.name}, {"version", version}, {"commands", job.recorded}};
}

}  // namespace cmanp::experiments
