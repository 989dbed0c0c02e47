// `cmanp bandit run`, which both programs have, as the lean half plays by some models and the training half by the
// others: its flags, and what it prints.
#pragma once

#include <CLI/CLI.hpp>
#include <cmanp/agent.hpp>
#include <functional>
#include <string>

#include "bandit/standings.hpp"
#include "bandit/tournament.hpp"

namespace cmanp::cli {

struct BanditRunOptions {
  std::string model;   // a file; or
  std::string method;  // one that needs none
  bandit::Tournament tournament;
  AgentOptions agent;
  std::string results;
  bool wait = false;  // for another process that is at work on the results
  bool json = false;
};

// The verb `bandit` that holds its own verbs.
CLI::App* add_bandit_verb(CLI::App& app);

void add_bandit_run_verb(CLI::App* bandit, const std::function<void(const BanditRunOptions&)>& run);

// Plays by `play`, which gets the file to append to and what to tell of games that are over, and prints how the method
// stands. The uniform player's games come first.
void run_tournament(const BanditRunOptions& options,
                    const std::function<void(bandit::ResultsFile&, const bandit::Finished&)>& play);

// As a table, or as JSON.
void print_standings(const std::vector<bandit::Standing>& standings, bool json);

}  // namespace cmanp::cli
