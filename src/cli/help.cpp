#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/suggest.hpp"
#include "cli/man_pages.hpp"
#include "cli/model_files.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace cmanp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kIndent = 28, kWidth = 100;

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "a, b, c" of a text that is "{a,b,c}" somewhere, or "a|b|c" as a whole.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  const bool listed = open != std::string::npos && close != std::string::npos && type.find("->") == std::string::npos;
  std::string list = listed ? type.substr(open + 1, close - open - 1) : type.substr(0, type.find(':'));
  if (!listed && (list.find('|') == std::string::npos || list.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 0))
    return {};
  std::replace(list.begin(), list.end(), '|', ',');
  std::vector<std::string> choices;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

// "1 to 1024" of CLI11's "UINT in [1 - 1024]".
std::string range_in(const std::string& type) {
  const std::size_t open = type.find("in ["), close = type.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  std::string range = type.substr(open + 4, close - open - 4);
  const std::size_t dash = range.find(" - ");
  return dash == std::string::npos ? range : range.replace(dash, 3, " to ");
}

std::string join(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  return flags;
}

std::string plain_default(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

// Words of `text`, in lines that start at column kIndent.
std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > 0 && kIndent + column + 1 + word.size() > kWidth) {
      lines += "\n" + std::string(kIndent, ' ');
      column = 0;
    }
    lines += (column > 0 ? " " : "") + word;
    column += word.size() + 1;
  }
  return lines;
}

std::string entry(const std::string& name, const std::string& text) {
  const bool fits = name.size() + 4 <= kIndent;
  return fmt::format("  {}{}{}\n", name,
                     fits ? std::string(kIndent - 2 - name.size(), ' ') : "\n" + std::string(kIndent, ' '),
                     wrapped(text));
}

const CLI::App* verb_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : verbs_of(app)) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

const CLI::Option* option_named(const CLI::App& verb, const std::string& flag) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::vector<std::string> flags = flags_of(*option);
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) return option;
  }
  return nullptr;
}

// What may be given to an option.
std::vector<std::string> values_of(const CLI::Option& option) {
  const bool model = option.get_name(false, true).find("--model") != std::string::npos && takes_value(option) &&
                     option.get_type_name().starts_with("FILE");
  return model ? installed_models() : choices_in(option.get_type_name());
}

Json json_of_option(const CLI::Option& option) {
  Json json{{"flags", flags_of(option)}, {"value", takes_value(option) ? Json(option.get_type_name()) : Json(nullptr)}};
  if (option.get_positional()) json["name"] = option.get_name(true, false);
  json["required"] = option.get_required();
  if (!option.get_default_str().empty()) json["default"] = plain_default(option);
  if (const auto choices = choices_in(option.get_type_name()); !choices.empty()) json["choices"] = choices;
  json["description"] = option.get_description();
  return json;
}

Json json_of_verb(const CLI::App& verb) {
  Json json{{"command", command_of(verb)}, {"description", verb.get_description()}, {"options", Json::array()}};
  for (const CLI::Option* option : verb.get_options()) json["options"].push_back(json_of_option(*option));
  if (!verbs_of(verb).empty()) json["verbs"] = Json::array();
  for (const CLI::App* below : verbs_of(verb)) json["verbs"].push_back(json_of_verb(*below));
  return json;
}

struct HelpOptions {
  std::vector<std::string> words;
  std::string man;
  bool json = false;
};

void run(const CLI::App& app, const HelpOptions& options, const OtherVerbs& others) {
  Output output;
  if (!options.man.empty()) return write_man_pages(app, options.man);
  const CLI::App* verb = &app;
  for (const std::string& word : options.words) {
    const CLI::App* below = verb_named(*verb, word);
    if (below == nullptr) {
      std::vector<std::string> known = others(verb == &app ? "" : verb->get_name());
      for (const CLI::App* one : verbs_of(*verb)) known.push_back(one->get_name());
      const std::string near = base::nearest(word, known);
      throw CLI::ParseError(fmt::format("unknown verb {}{}", word, near.empty() ? "" : "; did you mean " + near + "?"),
                            CLI::ExitCodes::ExtrasError);
    }
    verb = below;
  }
  // Not verb->help(): of the program, that would be the help of the verb help.
  output.text(options.json ? json_of(*verb) + "\n"
                           : verb->get_formatter()->make_help(verb, command_of(*verb), CLI::AppFormatMode::Normal));
  output.flush();
}

}  // namespace

std::string command_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : command_of(*verb.get_parent()) + " " + verb.get_name();
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_name().empty(); });
}

OptionText describe(const CLI::Option& option) {
  OptionText text{option.nonpositional() ? join(flags_of(option), ", ") : option.get_name(true, false), "",
                  option.get_description()};
  if (!takes_value(option)) return text;
  const std::string type = option.get_type_name();
  const std::vector<std::string> choices = choices_in(type);
  text.value = choices.empty() ? type.substr(0, type.find(':')) : join(choices, "|");
  if (text.value == "UINT" || text.value == "INT") text.value = "N";
  if (text.value == "FLOAT") text.value = "NUMBER";
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) text.value += " ...";
  std::vector<std::string> remarks;
  if (option.get_required()) remarks.push_back("required");
  if (const std::string range = range_in(type); !range.empty()) remarks.push_back(range);
  if (const std::string value = plain_default(option); !value.empty()) remarks.push_back("default " + value);
  for (const CLI::Option* other : option.get_needs()) remarks.push_back("with " + flags_of(*other).front());
  for (const CLI::Option* other : option.get_excludes()) remarks.push_back("not with " + flags_of(*other).front());
  if (!remarks.empty()) text.description += fmt::format(" ({})", join(remarks, "; "));
  return text;
}

std::string json_of(const CLI::App& app) { return json_of_verb(app).dump(); }

std::vector<std::string> completions(const CLI::App& app, std::vector<std::string> words, const OtherVerbs& others) {
  if (words.empty()) words.emplace_back();
  const std::string last = words.back();
  words.pop_back();
  const CLI::App* verb = &app;
  const CLI::Option* waiting = nullptr;  // for its value
  for (const std::string& word : words) {
    const CLI::App* below = waiting == nullptr ? verb_named(*verb, word) : nullptr;
    const CLI::Option* option = word.starts_with('-') ? option_named(*verb, word) : nullptr;
    if (below != nullptr) verb = below;
    waiting = option != nullptr && takes_value(*option) ? option : nullptr;
  }
  std::vector<std::string> offered;
  if (waiting != nullptr) {
    offered = values_of(*waiting);
  } else if (last.starts_with('-')) {
    for (const CLI::Option* option : verb->get_options()) {
      if (option->get_group().empty()) continue;  // not for people
      for (const std::string& flag : flags_of(*option)) {
        if (flag.starts_with("--")) offered.push_back(flag);
      }
    }
  } else {
    for (const CLI::App* below : verbs_of(*verb)) offered.push_back(below->get_name());
    if (!offered.empty()) {
      for (const std::string& other : others(verb == &app ? "" : verb->get_name())) offered.push_back(other);
    }
    for (const CLI::Option* option : verb->get_options()) {
      if (!option->get_positional()) continue;
      for (const std::string& choice : values_of(*option)) offered.push_back(choice);
    }
  }
  std::erase_if(offered, [&](const std::string& word) { return !word.starts_with(last); });
  std::sort(offered.begin(), offered.end());
  offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
  return offered;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool) const {
  const OptionText text = describe(*option);
  return entry(text.names + (text.value.empty() ? "" : " " + text.value), text.description);
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  return group == kMoreGroup ? "" : CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  return entry(verb->get_name(), verb->get_description());
}

void add_help(CLI::App& app, const OtherVerbs& others) {
  auto options = std::make_shared<HelpOptions>();
  CLI::App* verb = add_verb(app, "help", "Explains a verb, as its --help does", "cmanp help events stream");
  verb->add_option("verb", options->words, "The verb; none: the program")->type_name("VERB");
  verb->add_option("--man", options->man, "Write manual pages of all verbs into a folder instead")
      ->group("")  // for the build, not for people
      ->type_name("FOLDER");
  add_json(verb, options->json)->description("All verbs and options as one JSON object on a line");
  verb->callback([&app, options, others] { run(app, *options, others); });
}

}  // namespace cmanp::cli
