#include "cli/program.hpp"

#include <fmt/format.h>

#include <cmanp/error.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "base/suggest.hpp"
#include "cli/exit.hpp"
#include "cli/help.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/standard_descriptors.hpp"

namespace cmanp::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kBadUsage = 2;

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs_of(app)) names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The verb that was asked for, or the verb of that verb.
const CLI::App& last_chosen(const CLI::App& app) {
  const CLI::App* last = &app;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().back();
  return *last;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = base::nearest(word, known);
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
}

// Of what was not understood, once it is parsed; "" where there is none.
std::string unknown_word(const Program& program, const CLI::App& app) {
  const CLI::App& last = last_chosen(app);
  const bool verb_is_missing = !verb_names(last).empty();
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      return fmt::format("unknown option {}{}", name, did_you_mean(name, flag_names(last)));
    }
    if (verb_is_missing) {
      std::vector<std::string> known = verb_names(last);
      for (const std::string& verb : program.other_verbs(&last == &app ? "" : last.get_name())) known.push_back(verb);
      return fmt::format("unknown verb {}{}", word, did_you_mean(word, known));
    }
  }
  return {};
}

int report_usage(const CLI::App& app, const std::string& message) {
  say_error(fmt::format("{}\nTry `{} --help`.", message, command_of(last_chosen(app))));
  return kBadUsage;
}

// `cmanp help --complete WORD…`, by a shell: the words may be anything, so that nobody parses them.
bool asks_for_completion(int argc, char** argv) {
  return argc > 3 && std::string_view(argv[1]) == "help" && std::string_view(argv[2]) == "--complete";
}

int run(const Program& program, int argc, char** argv) {
  CLI::App app;
  set_up(app, program);
  Output output;
  try {
    if (program.before) program.before(argc, argv);
    // A write that fails is an error like others, not a signal.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    if (asks_for_completion(argc, argv)) {
      for (const std::string& word : completions(app, {argv + 3, argv + argc}, program.other_verbs)) {
        output.text(word + "\n");
      }
    } else {
      app.parse(argc, argv);  // runs the verb
    }
  } catch (const HandOver& reason) {
    program.hand_over(reason, argc, argv);
  } catch (const CLI::CallForHelp&) {
    output.text(app.help());
  } catch (const CLI::CallForVersion& version) {
    output.text(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return report_usage(app, usage_message(program, app, error));
  } catch (const Error&) {  // values are looked at first, and that of an unknown option is taken for another's
    const std::string unknown = unknown_word(program, app);
    if (unknown.empty()) throw;
    return report_usage(app, unknown);
  }
  output.flush();
  return 0;
}

}  // namespace

void set_up(CLI::App& app, const Program& program) {
  app.description(program.description);
  app.name("cmanp");
  app.formatter(std::make_shared<HelpFormatter>());
  program.add_verbs(app);
  add_help(app, program.other_verbs);
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.get_formatter()->label("Subcommands", "Verbs");
  app.set_version_flag("--version", "cmanp " CMANP_VERSION);
  app.footer(program.footer);
}

// An unknown word is named first: what CLI11 misses may just be misspelt.
std::string usage_message(const Program& program, const CLI::App& app, const CLI::ParseError& error) {
  const std::string unknown = unknown_word(program, app);
  if (!unknown.empty()) return unknown;
  return verb_names(last_chosen(app)).empty() ? error.what() : "a verb is missing";
}

std::string unknown_word_in(const Program& program, const std::vector<std::string>& words) {
  CLI::App app;
  set_up(app, program);
  // That it is missing ends the parsing before any verb is run.
  app.add_option("--never-there")->required()->group("");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const std::exception&) {  // of words that are known: whoever runs them will hear
  }
  return unknown_word(program, app);
}

int run_program(const Program& program, int argc, char** argv) {
  take_closed_descriptors();
  try {
    return run(program, argc, argv);
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const std::bad_alloc&) {
    say_error("not enough memory");
  } catch (const std::length_error&) {  // a vector asked for more than there can be
    say_error("not enough memory");
  } catch (const std::exception& error) {
    say_error(error.what());
  }
  return kFailure;
}

}  // namespace cmanp::cli
