// What the program says of itself, all of it from the one definition of its verbs: help as people read it, manual
// pages, one JSON document, and words that complete a command.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cmanp::cli {

// Verbs of the other half below a verb of this one ("" for the program's own), so that they are offered as well.
using OtherVerbs = std::function<std::vector<std::string>(const std::string& verb)>;

// "cmanp events stream"
std::string command_of(const CLI::App& verb);

// Verbs below a verb, in the order of its help.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);

// An option as help shows it.
struct OptionText {
  std::string names;        // "--model, -m"
  std::string value;        // "FILE", "N ...", "ucb|greedy"; empty: a switch
  std::string description;  // with range, default and what it needs
};
OptionText describe(const CLI::Option& option);

// Names, choices and descriptions of all verbs and their options.
std::string json_of(const CLI::App& app);

// What may stand in the place of the last of `words`, which follow the program's name. Where nothing is offered, a file
// may stand there.
std::vector<std::string> completions(const CLI::App& app, std::vector<std::string> words, const OtherVerbs& others);

// Options of this group stand in manual pages and completions, but not in help.
inline constexpr const char* kMoreGroup = "More";

// How CLI11 lays out help, with lines that end.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
};

// cmanp help: any verb's help, by name.
void add_help(CLI::App& app, const OtherVerbs& others);

}  // namespace cmanp::cli
