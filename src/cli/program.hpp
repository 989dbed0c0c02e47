// What the project's programs have in common: verbs, exit codes, how bad usage and failures are reported.
// Exit codes: 0 done, 1 bad input or failure, 2 bad usage. Data goes to stdout, all else to stderr.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/help.hpp"
#include "cli/training_half.hpp"

namespace cmanp::cli {

struct Program {
  std::string description;
  std::string footer;  // of its help
  std::function<void(CLI::App&)> add_verbs;
  OtherVerbs other_verbs = [](const std::string&) { return std::vector<std::string>(); };  // of the other program
  std::function<void(int, char**)> before = {};                                            // runs ahead of all parsing
  // Takes over where `before` or a verb throws HandOver.
  std::function<void(const HandOver&, int, char**)> hand_over = {};
};

// A command line with the program's verbs, before anything is parsed.
void set_up(CLI::App& app, const Program& program);

// What is wrong with arguments that did not parse.
std::string usage_message(const Program& program, const CLI::App& app, const CLI::ParseError& error);

// An unknown option or verb among the words of a command, "unknown option --batchs; did you mean --batches?"; "" where
// there is none. Runs nothing, and looks at no values.
std::string unknown_word_in(const Program& program, const std::vector<std::string>& words);

// Runs the verb that the arguments ask for; what main() returns.
int run_program(const Program& program, int argc, char** argv);

}  // namespace cmanp::cli
