#include "cli_train/reproduce_checks.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmanp/error.hpp>
#include <set>
#include <sstream>

#include "base/suggest.hpp"
#include "cli/training_verbs.hpp"
#include "cli_train/program.hpp"
#include "files/quote.hpp"
#include "files/tool.hpp"

namespace cmanp::cli_train {
namespace {

namespace fs = std::filesystem;
using experiments::Choice;
using experiments::Job;
using experiments::Plan;
using experiments::Words;

constexpr std::size_t kMostBytes = 1 << 20;

// Of both halves: the lean one's are not this program's.
Words all_verbs(const fs::path& program) {
  std::istringstream stream(files::run_filter({program.string(), "help", "--complete", ""}, "", kMostBytes, ""));
  Words verbs;
  for (std::string verb; std::getline(stream, verb);) verbs.push_back(verb);
  return verbs;
}

std::string did_you_mean(const std::string& word, const Words& known) {
  const std::string near = base::nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

// The verb, of two words at most, and the options: commands of several rows mostly have the same.
Words without_values(const Words& command) {
  Words words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (i < 2 || command[i].starts_with('-')) words.push_back(command[i]);
  }
  return words;
}

// Why a command cannot be run, "" where it seems that it can. Of the lean half's, the verb alone is looked at.
std::string problem_of(const Words& command, const Words& verbs) {
  if (!cli::training_verb_in(command).empty()) return cli::unknown_word_in(training_program(), command);
  const std::string& verb = command.front();
  if (std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) return {};
  return fmt::format("unknown verb {}{}", verb, did_you_mean(verb, verbs));
}

const Plan& plan_of(const std::vector<Plan>& plans, const Job& job) {
  return *std::find_if(plans.begin(), plans.end(), [&](const Plan& one) { return one.name == job.item; });
}

}  // namespace

void check_data_names(const std::vector<Plan>& plans, const Choice& choice) {
  std::vector<std::string> needs;
  for (const Plan& plan : plans) {
    for (const auto& [need, hint] : plan.needs) needs.push_back(need);
  }
  for (const auto& [name, place] : choice.data) {
    if (std::find(needs.begin(), needs.end(), name) != needs.end()) continue;
    throw CLI::ValidationError(
        "--data", fmt::format("no item needs data called {}{}", files::quote(name), did_you_mean(name, needs)));
  }
}

void check_data_places(const Choice& choice) {
  for (const auto& [name, place] : choice.data) {
    std::error_code problem;
    if (!fs::exists(place, problem)) {
      throw Error(fmt::format("--data {}: {}: no such file or folder", name, files::quote(place)));
    }
  }
}

void check_commands(const std::vector<Plan>& plans, const std::vector<Job>& jobs, const fs::path& program) {
  const Words verbs = all_verbs(program);
  std::set<Words> checked;
  for (const Job& job : jobs) {
    if (state_of(job) != experiments::JobState::to_do) continue;
    for (std::size_t i = 0; i < job.commands.size(); ++i) {
      if (!checked.insert(without_values(job.commands[i])).second) continue;
      const std::string problem = problem_of(job.commands[i], verbs);
      if (problem.empty()) continue;
      throw Error(fmt::format("{}: command {}, row {}: {}", file_of(plan_of(plans, job)), job.origins[i].command + 1,
                              job.row, problem));
    }
  }
}

}  // namespace cmanp::cli_train
