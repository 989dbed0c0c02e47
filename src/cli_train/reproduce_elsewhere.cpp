#include "cli_train/reproduce_elsewhere.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/shell_word.hpp"

namespace cmanp::cli_train {
namespace {

using experiments::Job;
using experiments::Words;

std::string in_shell(const Words& words) {
  Words quoted;
  for (const std::string& word : words) quoted.push_back(files::shell_word(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

// Those that can begin, each with those that wait for it.
std::vector<Words> chains_of(const std::vector<Job>& jobs) {
  std::vector<Words> chains;
  const auto chain_of = [&](const std::string& first) {
    return std::find_if(chains.begin(), chains.end(), [&](const Words& chain) { return chain.front() == first; });
  };
  for (const Job& job : jobs) {  // those that wait come after others
    if (state_of(job) != experiments::JobState::to_do) continue;
    const auto before = chain_of(job.after);
    if (before == chains.end()) {
      chains.push_back({job.name});
    } else {
      before->push_back(job.name);
    }
  }
  return chains;
}

}  // namespace

std::vector<std::string> lines_for_others(const std::vector<Job>& jobs, const Words& settings, bool slurm) {
  Words lines;
  for (const Words& chain : chains_of(jobs)) {
    Words words{"cmanp", "reproduce", "run"};
    words.insert(words.end(), chain.begin(), chain.end());
    words.insert(words.end(), settings.begin(), settings.end());
    if (chain.size() > 1) words.insert(words.end(), {"--jobs", "1"});
    const std::string command = in_shell(words);
    lines.push_back(slurm
                        ? in_shell({"sbatch", "--cpus-per-task=1", "--job-name=" + chain.front(), "--wrap=" + command})
                        : command);
  }
  return lines;
}

}  // namespace cmanp::cli_train
